import type { Upstream } from '#adapters/mcp/upstream.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import { isProgram, type ConnectionKey } from './connection-key.ts';

/** Time after which a server is probed for its protocol era again, because servers are upgraded. */
const eraTrustMs = 24 * 60 * 60_000;

/** One upstream connection of the pool, from the moment it is requested. */
export type OpenConnection = {
  key: string;
  server: CatalogueServer;
  /** The owner; undefined when the connection is shared. */
  userId: string | undefined;
  /** Question kinds that the handshake declared. */
  declared: ConnectionKey['kinds'];
  opening: Promise<Upstream>;
  upstream: Upstream | undefined;
  inFlight: number;
  /** Uses among `inFlight` that last as long as a client wants, such as a subscription. */
  lasting: number;
  openedAtMs: number;
  usedAtMs: number;
  /** Whether it takes no new calls and is closed when its calls have ended. */
  isRetired: boolean;
  /** Whether it takes no new use and is closed when its calls have ended, even if lasting uses remain. */
  isReplaced: boolean;
};

/**
 * Returns why the next call cannot go over an open connection; undefined when it can.
 * - `moved`: another version of the manifest is deployed, whose server may be elsewhere
 * - `other-era`: the server turned out to speak another era after the connection was opened
 * - `lacks-capabilities`: a program learns client capabilities when it starts, and this client has more
 */
export function flawOf(
  entry: OpenConnection,
  server: CatalogueServer,
  { kinds }: ConnectionKey,
): 'moved' | 'other-era' | 'lacks-capabilities' | undefined {
  if (entry.server.deployedAtMs !== server.deployedAtMs) return 'moved';
  // A second process cannot run alongside a busy one, and ending the busy one would end its calls.
  if (isProgram(server) && entry.inFlight > 0) return undefined;
  if (isOutdated(entry, server)) return 'other-era';
  if (isProgram(server) && (entry.declared | kinds) !== entry.declared) return 'lacks-capabilities';
  return undefined;
}

function isOutdated({ upstream, openedAtMs }: OpenConnection, { era }: CatalogueServer): boolean {
  return upstream !== undefined && era !== undefined && era.atMs > openedAtMs && era.verdict !== upstream.era;
}

export function isEraStale({ era }: CatalogueServer, clock: Clock): boolean {
  return era !== undefined && clock.now() - era.atMs >= eraTrustMs;
}
