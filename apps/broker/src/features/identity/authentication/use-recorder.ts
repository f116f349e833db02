import { createBackground } from '#platform/work/background.ts';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';

const everyMs = 60_000;
const maxRemembered = 10_000;

/**
 * Records when tokens were last used: each at most once a minute, in the background, so that no call waits for it.
 * @param write stores one use; a failure is logged
 */
export function createUseRecorder(parts: { clock: Clock; log: Log; write: (id: string, at: Date) => Promise<void> }) {
  const time = elapsedTime(parts.clock);
  const notedMs = new Map<string, number>();
  const writing = createBackground(parts.log);
  return {
    note(id: string): void {
      const nowMs = time.now();
      const before = notedMs.get(id);
      if (before !== undefined && nowMs - before < everyMs) return;
      if (notedMs.size >= maxRemembered) notedMs.clear();
      notedMs.set(id, nowMs);
      writing.add(parts.write(id, new Date(parts.clock.now())), 'the last use of a token was not recorded');
    },
    flush: writing.flush,
  };
}
