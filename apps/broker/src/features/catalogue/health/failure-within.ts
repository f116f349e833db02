import type { ManifestWatch } from '../manifests/manage-manifests.ts';

/** How long an administrator waits for a server to be asked; what takes longer goes on. */
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
  const giveUp = () => late.resolve('The server has not answered yet: it is still being asked.');
  const timer = setTimeout(giveUp, patienceMs);
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([watch.asked(serverId), late.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}
