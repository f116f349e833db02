import type { Upstream } from '#adapters/mcp/types.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import { isProgram, type ConnectionKey } from './connection-key.ts';

/** A stored verdict about the era is trusted for a day. */
const eraTrustMs = 24 * 60 * 60_000;

/** One connection of the pool, from the moment it is asked for. */
export type OpenConnection = {
  key: string;
  server: CatalogueServer;
  /** Whose it is; undefined when it is everybody's. */
  userId: string | undefined;
  /** What was said of the person's clients at the handshake. */
  told: ConnectionKey['capabilities'];
  opening: Promise<Upstream>;
  upstream: Upstream | undefined;
  inFlight: number;
  openedAtMs: number;
  usedAtMs: number;
  /** Nobody gets it any more; it ends when the calls on it have. */
  isRetired?: boolean;
};

/** What was opened before the server was found to speak otherwise is of no use. */
export function isOutdated({ upstream, openedAtMs }: OpenConnection, { era }: CatalogueServer): boolean {
  return upstream !== undefined && era !== undefined && era.atMs > openedAtMs && era.verdict !== upstream.era;
}

/** Ending it would end calls that are under way, and beside it there is no room for another. */
export function isBusyProgram({ server, inFlight }: OpenConnection): boolean {
  return isProgram(server) && inFlight > 0;
}

/** Servers change: what one was found to speak is found out anew each day. */
export function isEraStale({ era }: CatalogueServer, clock: Clock): boolean {
  return era !== undefined && clock.now() - era.atMs >= eraTrustMs;
}
