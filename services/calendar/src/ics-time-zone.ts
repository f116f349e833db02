import { offsetMinutes, zoneTime } from '@souk/service-kit/zone-time.ts';

const minuteMs = 60_000;
/** Step of the search; no zone changes its clocks twice within it. */
const stepMs = 7 * 86_400_000;
const yearMs = 366 * 86_400_000;

/**
 * Returns a VTIMEZONE that is correct from a year before `fromMs` to a year after `toMs` (RFC 5545, section 3.6.5): one
 * observance for the beginning and one for every change of the clocks. The lines are not folded.
 */
export function timeZoneLines(timeZone: string, fromMs: number, toMs: number): string[] {
  const lines = ['BEGIN:VTIMEZONE', `TZID:${timeZone}`];
  let atMs = fromMs - yearMs;
  let offset = offsetMinutes(timeZone, atMs);
  lines.push(...observance(timeZone, atMs, offset, offset));
  for (; atMs < toMs + yearMs; atMs += stepMs) {
    const next = offsetMinutes(timeZone, atMs + stepMs);
    if (next === offset) continue;
    const changeMs = findChange(timeZone, atMs, atMs + stepMs);
    lines.push(...observance(timeZone, changeMs, offset, next));
    offset = next;
  }
  return [...lines, 'END:VTIMEZONE'];
}

/** Formats the local time at an offset: 20261123T090000. */
export function icsClock(instantMs: number, offset: number): string {
  return new Date(instantMs + offset * minuteMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
}

function observance(timeZone: string, startMs: number, from: number, to: number): string[] {
  const kind = zoneTime(timeZone, startMs).daylightSaving ? 'DAYLIGHT' : 'STANDARD';
  return [
    `BEGIN:${kind}`,
    // The onset is in local time before the change.
    `DTSTART:${icsClock(startMs, from)}`,
    `TZOFFSETFROM:${icsOffset(from)}`,
    `TZOFFSETTO:${icsOffset(to)}`,
    `END:${kind}`,
  ];
}

function icsOffset(minutes: number): string {
  const size = Math.abs(minutes);
  const hours = String(Math.floor(size / 60)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${hours}${String(size % 60).padStart(2, '0')}`;
}

/** Finds the first whole minute with the offset of `highMs`, between two instants with different offsets. */
function findChange(timeZone: string, lowMs: number, highMs: number): number {
  const after = offsetMinutes(timeZone, highMs);
  let low = Math.floor(lowMs / minuteMs);
  let high = Math.ceil(highMs / minuteMs);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMinutes(timeZone, middle * minuteMs) === after) high = middle;
    else low = middle;
  }
  return high * minuteMs;
}
