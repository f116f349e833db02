import type { Era, Upstream } from '#adapters/mcp/upstream.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { isProgram, type ConnectionKey } from './connection-key.ts';
import { makeRoom } from './connection-limits.ts';
import { isEraStale, type OpenConnection } from './open-connection.ts';
import { openServer } from './open-server.ts';
import { ownService } from './own-service.ts';
import type { PoolParts } from './pool-parts.ts';
import { capabilitiesFor } from './question-kinds.ts';
import { isPerUser, upstreamTarget } from './upstream-target.ts';

/**
 * Starts opening a connection, which becomes the current one of its key.
 * @throws UpstreamError busy when every connection is in use
 */
export function startOpening(
  { key, kinds, ofOnePerson }: ConnectionKey,
  server: CatalogueServer,
  userId: string | undefined,
  parts: PoolParts,
): OpenConnection {
  const { connections, supervisor, events, time, stopping } = parts;
  const owner = ofOnePerson ? userId : undefined;
  const era = server.era && !isEraStale(server, parts.clock) ? server.era.verdict : undefined;
  const identity = { serverId: server.id, userId: owner };
  const connect = () => openEntry(entry, era, parts);
  const startProgram = async () => {
    await connections.predecessorsEnded(key);
    if (stopping.aborted) throw new UpstreamError('closed', 'the broker is stopping');
  };
  const surplus = makeRoom(connections.all(), { server, userId: owner }, parts.maxConnections);
  for (const idle of surplus) void connections.close(idle);
  const entry: OpenConnection = {
    key,
    server,
    userId: owner,
    declared: kinds,
    inFlight: 0,
    lasting: 0,
    openedAtMs: time.now(),
    usedAtMs: time.now(),
    isRetired: false,
    isReplaced: false,
    upstream: undefined,
    opening: isProgram(server)
      ? startProgram().then(() => supervisor.start(identity, connect))
      : Promise.resolve().then(connect),
  };
  connections.add(entry);
  entry.opening.then(
    (upstream) => {
      entry.upstream = upstream;
      if (owner !== undefined) events.onOpened?.(server.id, owner);
    },
    (error: unknown) => {
      recordLines(entry, [`(it did not start: ${error instanceof Error ? error.message : String(error)})`], parts);
      connections.forget(entry);
    },
  );
  return entry;
}

async function openEntry(entry: OpenConnection, era: Era | undefined, parts: PoolParts): Promise<Upstream> {
  const { server, userId } = entry;
  const clientCapabilities = capabilitiesFor(entry.declared);
  const listChanged = () => parts.events.onListChanged(server.id, userId);
  // a service may still be starting some seconds after the broker: that is not a failure
  const service = ownService(server)?.name;
  if (service !== undefined) await parts.services.start(service);
  return openServer(server, upstreamTarget(server, isPerUser(server) ? userId : undefined, parts), {
    ...(era && { era }),
    log: parts.log,
    signal: parts.stopping,
    ofOnePerson: userId !== undefined,
    notices: parts.notices.ofServer(server.id),
    ...(clientCapabilities && { clientCapabilities }),
    onToolListChanged: listChanged,
    onPromptListChanged: listChanged,
    onResourceListChanged: listChanged,
    onDiagnostics: (lines) => recordLines(entry, lines, parts),
    onClosed: (why) => {
      const reason = why?.message ?? 'the connection was closed';
      recordLines(entry, [`(${reason})`], parts);
      if (isProgram(server)) parts.supervisor.ended({ serverId: server.id, userId }, why);
      void parts.connections.close(entry);
      parts.events.onLost(server.id, reason, userId === undefined);
    },
  });
}

/** Records lines that a program wrote, or how it ended. */
function recordLines({ server, userId }: OpenConnection, lines: readonly string[], { programs }: PoolParts): void {
  const { connection } = server.manifest;
  if (connection.type !== 'stdio') return;
  programs.heard(server.id, connection.command, userId === undefined ? 'shared' : 'person', lines);
}
