import type { Upstream } from '#adapters/mcp/upstream.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { featuresOf, type Catalogue, type CatalogueServer, type Discovered } from '#features/catalogue/index.ts';
import type { Log } from '#platform/log.ts';
import { describeFailure, reasonOf } from './describe-failure.ts';
import { needsOwnSecrets } from '../sign-in/credentials.ts';
import { isPerUser } from '../pool/upstream-target.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import { useConnection } from '../pool/use-connection.ts';
import { NoConnectionLeft } from '../pool/connection-limits.ts';
import { leaveOut } from './leave-out.ts';
import { readLatest, withAsking, type ReadLists, type ServerConnections } from './read-asking.ts';
import type { StdioPrograms } from '../processes/stdio-programs.ts';
import { isNew, type WatchedServer } from './watched-server.ts';

export type DiscoveryParts = {
  catalogue: Catalogue;
  pool: UpstreamPool;
  programs: Pick<StdioPrograms, 'prepare'>;
  /** Removes a server's secrets from a text about it: a server may repeat what was sent to it. */
  hide(serverId: string, text: string): string;
  log: Log;
  /** Whether this deployment still exists and the broker is not stopping. */
  isWanted(): boolean;
};

/**
 * Asks a server what it offers and stores the answer. If that fails, the server keeps its stored lists and gets a
 * status with the reason, and `failure` has the reason for the operator. Never rejects for a fault of the server.
 */
export async function discoverServer(
  server: CatalogueServer,
  watched: Pick<WatchedServer, 'failure' | 'loggedFailure' | 'hasNewListsWhileAsked' | 'isLeftOut'>,
  { catalogue, pool, programs, hide, log, isWanted }: DiscoveryParts,
): Promise<void> {
  const { connection } = server.manifest;
  try {
    if (connection.type === 'stdio') await programs.prepare(server.id, connection.command);
    const connections: ServerConnections = {
      acquire: (needs) => pool.acquire(server, undefined, needs),
      drop: (needs) => pool.drop(server, undefined, needs),
    };
    const isStored = await useConnection(pool.acquire(server, undefined), async (upstream) => {
      watched.isLeftOut = false;
      const read: ReadLists = (ask) => readLatest(watched, ask);
      const discovered = await withAsking(server, await read(() => readAll(upstream)), connections, read);
      // the server may have been redeployed or undeployed meanwhile
      if (!isWanted()) return false;
      watched.failure = undefined;
      await catalogue.storeDiscovery(server.id, discovered);
      pool.answeredCheck(server.id);
      watched.loggedFailure = undefined;
      return true;
    });
    if (!isStored) return;
    // This process is no longer needed: each user gets their own.
    if (isPerUser(server) && connection.type === 'stdio') await pool.drop(server, undefined);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    // neither a stop nor an undeployment is a failure of the server
    if (!isWanted()) return;
    if (error instanceof NoConnectionLeft) return leaveOut(server, watched, catalogue);
    if (error.kind === 'sign_in_required' && needsOwnSecrets(server)) {
      pool.answeredCheck(server.id);
      watched.failure = undefined;
      watched.loggedFailure = undefined;
      // each user's tools are discovered with their own account (personal-tools/personal-tools.ts)
      if (isNew(server)) await catalogue.storeSignInRequired(server.id);
      await catalogue.setHealth(server.id, { status: 'connected', detail: signInRequired, era: undefined });
      return;
    }
    // logged once, although the server is asked every few seconds while it is down
    const reason = hide(server.id, reasonOf(error));
    if (watched.loggedFailure !== reason) {
      log.warn({ server: server.id, kind: error.kind }, `discovery failed: ${reason}`);
      watched.loggedFailure = reason;
    }
    // set before the status, whose change is logged with it
    watched.failure = reason;
    await catalogue.setHealth(server.id, describeFailure(error));
  }
}

/** Reads everything that a server lists over this connection. @throws UpstreamError */
export async function readAll(upstream: Upstream): Promise<Discovered> {
  const { capabilities } = upstream;
  // Each list requires its capability. `listTools` checks that itself.
  const [tools, prompts, resources, templates] = await Promise.all([
    upstream.listTools(),
    capabilities.prompts ? upstream.listPrompts() : [],
    capabilities.resources ? upstream.listResources() : [],
    capabilities.resources ? upstream.listResourceTemplates().catch(ignoreUnknownMethod) : [],
  ]);
  const features = featuresOf(capabilities);
  const { era, instructions } = upstream;
  const [leftOut, mended] = [upstream.leftOut(), upstream.mended()];
  return { era, instructions, features, tools, prompts, resources, templates, leftOut, mended };
}

/** Returns an empty list for "method not found": many servers have resources but no templates. */
function ignoreUnknownMethod(error: unknown): [] {
  if (error instanceof UpstreamError && error.kind === 'protocol' && error.code === -32601) return [];
  throw error;
}

export const signInRequired = 'Sign-in required';
