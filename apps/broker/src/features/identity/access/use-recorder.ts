import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';

const everyMs = 60_000;
const maxRemembered = 10_000;

/**
 * Notes when a token was last used: at most once a minute each, and nobody waits for it, since a call must not pay for a
 * statistic.
 * @param write stores one note; a failure is logged and forgotten
 */
export function createUseRecorder(options: { clock: Clock; log: Log; write: (id: string, at: Date) => Promise<void> }) {
  const notedMs = new Map<string, number>();
  const writing = new Set<Promise<void>>();
  return {
    note(id: string): void {
      const nowMs = options.clock.now();
      const before = notedMs.get(id);
      if (before !== undefined && nowMs - before < everyMs) return;
      if (notedMs.size >= maxRemembered) notedMs.clear();
      notedMs.set(id, nowMs);
      const write = options
        .write(id, new Date(nowMs))
        .catch((error: unknown) => options.log.warn({ err: error }, 'the last use of a token was not recorded'))
        .finally(() => writing.delete(write));
      writing.add(write);
    },
    /** Waits for the notes that are still being written. */
    async settle(): Promise<void> {
      await Promise.all(writing);
    },
  };
}
