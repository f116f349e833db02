import type { Upstream } from '#adapters/mcp/upstream.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import { isProgram, type ConnectionKey } from './connection-key.ts';

/** What a server was found to speak is found out again after a day: servers are upgraded. */
const eraTrustMs = 24 * 60 * 60_000;

/** One upstream connection of the pool, from the moment it is asked for. */
export type OpenConnection = {
  key: string;
  server: CatalogueServer;
  /** Whose it is; undefined when it is shared. */
  userId: string | undefined;
  /** What was said of the person's clients at the handshake. */
  told: ConnectionKey['kinds'];
  opening: Promise<Upstream>;
  upstream: Upstream | undefined;
  inFlight: number;
  /** Of these, uses that last as long as a client wants, such as a subscription. */
  lasting: number;
  openedAtMs: number;
  usedAtMs: number;
  /** It takes no new call and ends with the calls on it. */
  isRetired: boolean;
  /** It ends with the calls on it, and nothing else keeps it. */
  isReplaced: boolean;
};

/**
 * Why the next call cannot go over an open connection; undefined when it can.
 * - `moved`: another version of the manifest is deployed, whose server may be elsewhere
 * - `other-era`: it was opened before the server was found to speak another era
 * - `told-too-little`: a program learns what clients can do when it starts, and this client can do more
 */
export function flawOf(
  entry: OpenConnection,
  server: CatalogueServer,
  { kinds }: ConnectionKey,
): 'moved' | 'other-era' | 'told-too-little' | undefined {
  if (entry.server.deployedAtMs !== server.deployedAtMs) return 'moved';
  // There is no place for a second process beside a busy one, and ending it would end its calls.
  if (isProgram(server) && entry.inFlight > 0) return undefined;
  if (isOutdated(entry, server)) return 'other-era';
  if (isProgram(server) && (entry.told | kinds) !== entry.told) return 'told-too-little';
  return undefined;
}

function isOutdated({ upstream, openedAtMs }: OpenConnection, { era }: CatalogueServer): boolean {
  return upstream !== undefined && era !== undefined && era.atMs > openedAtMs && era.verdict !== upstream.era;
}

export function isEraStale({ era }: CatalogueServer, clock: Clock): boolean {
  return era !== undefined && clock.now() - era.atMs >= eraTrustMs;
}
