import { isDatabaseLost } from '#platform/db/database-errors.ts';
import type { Log } from '#platform/log.ts';
import type { ManifestWatch } from '../manifests/manage-manifests.ts';

/** Time that an administrator waits for a discovery, which continues afterwards. */
const patienceMs = 10_000;

/**
 * Waits until a server was asked what it offers, or 10 s, or until the signal aborts.
 * @returns why it did not answer; undefined when it did
 */
export async function failureWithin(
  watch: ManifestWatch,
  serverId: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const late = Promise.withResolvers<string>();
  const giveUp = () => late.resolve('The server has not answered yet: discovery continues.');
  const timer = setTimeout(giveUp, patienceMs);
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([watch.asked(serverId), late.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

/** Does the same for a run: an unexpected error is logged and does not end it. @throws the error of a lost database */
export async function failureInRun(
  watch: ManifestWatch,
  serverId: string,
  signal: AbortSignal,
  { log, logText }: { log: Log; logText: string },
): Promise<string | undefined> {
  return failureWithin(watch, serverId, signal).catch((error: unknown) => {
    if (isDatabaseLost(error)) throw error;
    log.error({ err: error, server: serverId }, logText);
    return 'An unexpected error occurred';
  });
}
