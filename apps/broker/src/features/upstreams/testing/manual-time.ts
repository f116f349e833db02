import type { Clock } from '#platform/clock.ts';
import type { Timers } from '../pool/timers.ts';

/** Time that passes when the test says so, with the timers that fall due in it. */
export function createManualTime(startMs = 1_800_000_000_000): {
  clock: Clock;
  timers: Timers;
  pass(durationMs: number): void;
  /** Returns the number of timers that have not fallen due. */
  pending(): number;
} {
  let nowMs = startMs;
  const due = new Set<{ atMs: number; act: () => void }>();
  return {
    clock: { now: () => nowMs },
    timers: {
      after(delayMs, act) {
        const entry = { atMs: nowMs + delayMs, act };
        due.add(entry);
        return () => due.delete(entry);
      },
    },
    pass(durationMs) {
      const endMs = nowMs + durationMs;
      for (;;) {
        const [next] = [...due].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
        if (!next) break;
        due.delete(next);
        nowMs = next.atMs;
        next.act();
      }
      nowMs = endMs;
    },
    pending: () => due.size,
  };
}
