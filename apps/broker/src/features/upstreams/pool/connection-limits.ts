import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { OpenConnection } from './open-connection.ts';

/** Numbers of connections, open and opening. */
export type ConnectionLimits = {
  /** Connections of one user to one server. */
  perPerson: number;
  perServer: number;
  all: number;
};

/**
 * Default limits; `all` is UPSTREAM_CONNECTIONS. A call in flight needs a connection, and an idle one saves the next
 * handshake.
 */
const defaults = { perPerson: 8, perServer: 256 };

/** Thrown when a limit of this installation was reached. The server was not asked and is not at fault. */
export class NoConnectionLeft extends UpstreamError {
  constructor(serverId: string) {
    super('busy', `every connection to ${serverId} is in use`);
  }
}

/**
 * Returns the connections to close so that another can be opened: the longest idle, the user's own first, so that
 * opening many does not displace other users.
 * @throws NoConnectionLeft when every connection that could be closed is in use
 */
export function makeRoom(
  connections: readonly OpenConnection[],
  wanted: { server: CatalogueServer; userId: string | undefined },
  given: Pick<ConnectionLimits, 'all'> & Partial<ConnectionLimits>,
): OpenConnection[] {
  const limits = { ...defaults, ...given };
  const atServer = connections.filter(({ server }) => server.id === wanted.server.id);
  const own = atServer.filter(({ userId }) => wanted.userId !== undefined && userId === wanted.userId);
  const full =
    own.length >= limits.perPerson
      ? own
      : atServer.length >= limits.perServer
        ? atServer
        : connections.length >= limits.all && connections;
  if (!full) return [];
  const idle = longestIdle(full);
  if (!idle) throw new NoConnectionLeft(wanted.server.id);
  return [idle];
}

export function longestIdle(connections: readonly OpenConnection[]): OpenConnection | undefined {
  let longest: OpenConnection | undefined;
  for (const entry of connections) {
    if (entry.inFlight === 0 && (!longest || entry.usedAtMs < longest.usedAtMs)) longest = entry;
  }
  return longest;
}
