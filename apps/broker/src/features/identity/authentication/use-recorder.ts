import { createBackground } from '#platform/work/background.ts';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';

const everyMs = 60_000;
const maxRemembered = 10_000;

/**
 * Notes when a token was last used: at most once a minute each, in the background, so that no call waits for a statistic.
 * @param write stores one note; a failure is logged and forgotten
 */
export function createUseRecorder(options: { clock: Clock; log: Log; write: (id: string, at: Date) => Promise<void> }) {
  const time = elapsedTime(options.clock);
  const notedMs = new Map<string, number>();
  const writing = createBackground(options.log);
  return {
    note(id: string): void {
      const nowMs = time.now();
      const before = notedMs.get(id);
      if (before !== undefined && nowMs - before < everyMs) return;
      if (notedMs.size >= maxRemembered) notedMs.clear();
      notedMs.set(id, nowMs);
      writing.add(options.write(id, new Date(options.clock.now())), 'the last use of a token was not recorded');
    },
    /** Waits for the notes that are still being written. */
    flush: writing.flush,
  };
}
