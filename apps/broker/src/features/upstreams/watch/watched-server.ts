import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';

/** Refreshes of one server coalesce and are at most one per 10 s (clarifications, Marketplace). */
export const refreshIntervalMs = 10_000;
const stdioRetryMs = 30_000;

export type WatchedServer = {
  /** Time of the last discovery; -Infinity before the first one. */
  askedAtMs: number;
  /** Time before which a stdio server that ended by itself is not restarted. */
  restartAtMs: number | undefined;
  /** The discovery in progress: callers that need one meanwhile share it. */
  discovery: Promise<void> | undefined;
  /** Deployment time of the version that is or was discovered last: another version may be elsewhere. */
  discoveryOfMs: number;
  /** Reason of the last failed discovery or check, in words for the operator; undefined once it has answered. */
  failure: string | undefined;
  isBeingChecked: boolean;
  /** Whether it could not be asked or checked because no connection was left. */
  isLeftOut: boolean;
  hasNewListsWhileAsked: boolean;
  /** Reason of the last failed discovery, as logged; undefined after a success. */
  loggedFailure: string | undefined;
  /** Whether its next discovery is a retry that a user requested. */
  isToBeRetried: boolean;
  /** Set while a discovery waits for the 10 s to pass. */
  refreshTimer: NodeJS.Timeout | undefined;
  /** Set while a server whose connection was lost waits for its check. */
  restartTimer: NodeJS.Timeout | undefined;
};

export function watchedOf(serverId: string, watchedById: Map<string, WatchedServer>): WatchedServer {
  const known = watchedById.get(serverId);
  if (known) return known;
  const watched: WatchedServer = {
    askedAtMs: -Infinity,
    restartAtMs: undefined,
    discovery: undefined,
    discoveryOfMs: 0,
    failure: undefined,
    isBeingChecked: false,
    isLeftOut: false,
    hasNewListsWhileAsked: false,
    loggedFailure: undefined,
    isToBeRetried: false,
    refreshTimer: undefined,
    restartTimer: undefined,
  };
  watchedById.set(serverId, watched);
  return watched;
}

/**
 * Returns whether a server was deployed since its last discovery. Its stored lists, if any, belong to another version.
 */
export function isNew(server: CatalogueServer): boolean {
  return (server.discoveredAtMs ?? 0) < server.deployedAtMs;
}

/**
 * Returns whether a server may be discovered again after a failure. A program waits longer, because starting it costs
 * more.
 */
export function mayRetry(
  server: CatalogueServer,
  { askedAtMs, restartAtMs, isLeftOut }: WatchedServer,
  clock: Clock,
): boolean {
  // a program that was left out was not started
  if (server.manifest.connection.type !== 'stdio' || isLeftOut) return true;
  return clock.now() >= (restartAtMs ?? askedAtMs + stdioRetryMs);
}
