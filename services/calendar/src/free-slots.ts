import { clockToInstantMs, toLocalText } from './instant.ts';

export type Span = { startMs: number; endMs: number };

/** Working hours, in minutes of the local day. */
export type Hours = { fromMinute: number; toMinute: number; timeZone: string; weekdaysOnly: boolean };

const minuteMs = 60_000;
const dayMs = 86_400_000;

/**
 * Finds gaps of at least `durationMs` between `busy` (sorted by start), within the working hours of each local day of `range`.
 */
export function freeSlots(busy: readonly Span[], range: Span, hours: Hours, durationMs: number): Span[] {
  return workingSpans(range, hours)
    .flatMap((day) => gaps(busy, day))
    .filter((gap) => gap.endMs - gap.startMs >= durationMs);
}

function workingSpans(range: Span, { fromMinute, toMinute, timeZone, weekdaysOnly }: Hours): Span[] {
  const spans: Span[] = [];
  let clockDayMs = Date.parse(`${toLocalText(range.startMs, timeZone).slice(0, 10)}T00:00:00Z`);
  for (; ; clockDayMs += dayMs) {
    const startMs = Math.max(range.startMs, clockToInstantMs(clockDayMs + fromMinute * minuteMs, timeZone));
    const endMs = Math.min(range.endMs, clockToInstantMs(clockDayMs + toMinute * minuteMs, timeZone));
    if (clockToInstantMs(clockDayMs, timeZone) >= range.endMs) return spans;
    const weekday = new Date(clockDayMs).getUTCDay();
    const dayOff = weekdaysOnly && (weekday === 0 || weekday === 6);
    if (startMs < endMs && !dayOff) spans.push({ startMs, endMs });
  }
}

function gaps(busy: readonly Span[], day: Span): Span[] {
  const found: Span[] = [];
  let freeFromMs = day.startMs;
  for (const { startMs, endMs } of busy) {
    if (startMs >= day.endMs) break;
    if (startMs > freeFromMs) found.push({ startMs: freeFromMs, endMs: startMs });
    freeFromMs = Math.max(freeFromMs, endMs);
  }
  if (freeFromMs < day.endMs) found.push({ startMs: freeFromMs, endMs: day.endMs });
  return found;
}
