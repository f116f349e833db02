import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';

/** Refreshes of one server coalesce and are at most one per 10 s (clarifications, Marketplace). */
export const refreshIntervalMs = 10_000;
/** A stdio server that could not be started is tried again this often. */
const stdioRetryMs = 30_000;

/** What the watch knows of one server besides its catalogue entry. */
export type WatchedServer = {
  /** When it was last asked what it offers; -Infinity before the first time. */
  askedAtMs: number;
  /** A stdio server that ended by itself is not started before this time. */
  restartAtMs: number | undefined;
  /** The discovery in progress: callers that need one while it runs share it. */
  discovery: Promise<void> | undefined;
  /** Of which deployment it is, or the last one was: another version may be elsewhere. */
  discoveryOfMs: number;
  /** Why it could not be asked or checked last, in an operator's words; undefined once it has answered. */
  failure: string | undefined;
  isBeingChecked: boolean;
  /** There was no connection left to ask or check it with. */
  isLeftOut: boolean;
  /** It announced changed lists while it was being asked for them. */
  hasNewListsWhileAsked: boolean;
  /** Why the last discovery failed, as it was logged; undefined after one that worked. */
  toldFailure: string | undefined;
  /** A person asked for another chance for it, which its next discovery gives. */
  isToBeRetried: boolean;
  /** Set while a discovery waits for the 10 s to pass. */
  refreshTimer: NodeJS.Timeout | undefined;
  /** Set while a server whose connection was lost waits for its check. */
  restartTimer: NodeJS.Timeout | undefined;
};

export function watchedServer(): WatchedServer {
  return {
    askedAtMs: -Infinity,
    restartAtMs: undefined,
    discovery: undefined,
    discoveryOfMs: 0,
    failure: undefined,
    isBeingChecked: false,
    isLeftOut: false,
    hasNewListsWhileAsked: false,
    toldFailure: undefined,
    isToBeRetried: false,
    refreshTimer: undefined,
    restartTimer: undefined,
  };
}

/** Deployed since it was last discovered, so what is stored belongs to another version or there is nothing. */
export function isNew(server: CatalogueServer): boolean {
  return (server.discoveredAtMs ?? 0) < server.deployedAtMs;
}

/** Whether a server may be asked again after a failure. Starting a program costs more than a request, so it waits longer. */
export function mayRetry(
  server: CatalogueServer,
  { askedAtMs, restartAtMs, isLeftOut }: WatchedServer,
  clock: Clock,
): boolean {
  // one that was left out was not started
  if (server.manifest.connection.type !== 'stdio' || isLeftOut) return true;
  return clock.now() >= (restartAtMs ?? askedAtMs + stdioRetryMs);
}
