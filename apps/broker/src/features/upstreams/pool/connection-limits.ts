import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { OpenConnection } from './open-connection.ts';

/** How many connections there may be, open and opening. */
export type ConnectionLimits = {
  /** Of one person at one server. */
  perPerson: number;
  perServer: number;
  all: number;
};

/** A call in flight needs one; the rest are idle ones that save the next handshake. Of all: UPSTREAM_CONNECTIONS. */
const defaults = { perPerson: 8, perServer: 256 };

/** A limit of ours, and no fault of the server: it was not asked. */
export class NoConnectionLeft extends UpstreamError {
  constructor(serverId: string) {
    super('busy', `every connection to ${serverId} is in use`);
  }
}

/**
 * The connections to close so that another one can be opened: those that were idle longest, the person's own first, so
 * that nobody displaces others by opening many.
 * @throws NoConnectionLeft when every connection that stands in the way is in use
 */
export function makeRoom(
  connections: readonly OpenConnection[],
  wanted: { server: CatalogueServer; userId: string | undefined },
  given: Pick<ConnectionLimits, 'all'> & Partial<ConnectionLimits>,
): OpenConnection[] {
  const limits = { ...defaults, ...given };
  const atServer = connections.filter(({ server }) => server.id === wanted.server.id);
  const own = atServer.filter(({ userId }) => wanted.userId !== undefined && userId === wanted.userId);
  if (own.length >= limits.perPerson) return [longestIdle(own, wanted.server)];
  if (atServer.length >= limits.perServer) return [longestIdle(atServer, wanted.server)];
  return connections.length >= limits.all ? [longestIdle(connections, wanted.server)] : [];
}

function longestIdle(connections: readonly OpenConnection[], wanted: CatalogueServer): OpenConnection {
  let longest: OpenConnection | undefined;
  for (const entry of connections) {
    if (entry.inFlight > 0) continue;
    if (!longest || entry.usedAtMs < longest.usedAtMs) longest = entry;
  }
  if (!longest) throw new NoConnectionLeft(wanted.id);
  return longest;
}
