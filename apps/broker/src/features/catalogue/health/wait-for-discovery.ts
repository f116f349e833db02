import { isDatabaseLost } from '#platform/db/database-errors.ts';
import type { Log } from '#platform/log.ts';
import type { ManifestWatch } from '../manifests/manage-manifests.ts';

/** Longest wait of an administrator for a discovery, which continues afterwards. */
const maxWaitMs = 10_000;

/**
 * Waits for the discovery of a server, for at most 10 s or until the signal aborts.
 * @returns why the server did not answer; undefined when it did
 */
export async function waitForDiscovery(
  watch: ManifestWatch,
  serverId: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const late = Promise.withResolvers<string>();
  const giveUp = () => late.resolve('The server has not answered yet: discovery continues.');
  const timer = setTimeout(giveUp, maxWaitMs);
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([watch.asked(serverId), late.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

/**
 * Waits like waitForDiscovery, for a run: an unexpected error is logged and does not end the run.
 * @throws the error of a lost database
 */
export async function waitForDiscoveryInRun(
  watch: ManifestWatch,
  serverId: string,
  signal: AbortSignal,
  { log, logText }: { log: Log; logText: string },
): Promise<string | undefined> {
  return waitForDiscovery(watch, serverId, signal).catch((error: unknown) => {
    if (isDatabaseLost(error)) throw error;
    log.error({ err: error, server: serverId }, logText);
    return 'An unexpected error occurred';
  });
}
