import { ToolRefusal } from '@souk/service-kit/tools.ts';
import { isTimeZone, offsetMinutes, zoneTime } from '@souk/service-kit/zone-time.ts';
import * as z from 'zod';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** A time: an instant if it has an offset, otherwise a local time in a time zone. */
export const timeSchema = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})?$/, 'must look like 2026-11-23T09:00')
  .describe('ISO 8601: 2026-11-23T09:00 in the time zone given, or with an offset such as …T09:00Z');

export const timeZoneSchema = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be an IANA time zone')
  .describe('IANA time zone, such as Europe/Berlin');

/**
 * Converts a time to an instant. A local time that occurs twice (autumn) is the first one; one that is skipped (spring)
 * is read with the offset before the change (RFC 5545, section 3.3.5).
 * @throws ToolRefusal for a day that does not exist
 */
export function toInstantMs(time: string, timeZone: string): number {
  const clockText = time.replace(/(Z|[+-]\d{2}:\d{2})$/, '');
  const clockMs = Date.parse(`${clockText}Z`);
  if (Number.isNaN(clockMs) || new Date(clockMs).toISOString().slice(0, 10) !== time.slice(0, 10)) {
    throw new ToolRefusal(`${time} is not a valid time.`);
  }
  return time === clockText ? clockToInstantMs(clockMs, timeZone) : Date.parse(time);
}

/**
 * Converts a local time to an instant.
 * @param clockMs local time read as if it were UTC
 */
export function clockToInstantMs(clockMs: number, timeZone: string): number {
  const before = offsetMinutes(timeZone, clockMs - dayMs);
  const after = offsetMinutes(timeZone, clockMs + dayMs);
  const withBefore = clockMs - before * minuteMs;
  const withAfter = clockMs - after * minuteMs;
  if (offsetMinutes(timeZone, withBefore) === before) return withBefore;
  return offsetMinutes(timeZone, withAfter) === after ? withAfter : withBefore;
}

/** Formats an instant as local ISO 8601 with offset. */
export function toLocalText(instantMs: number, timeZone: string): string {
  return zoneTime(timeZone, instantMs).localTime;
}

/** Returns the bounds of the local day of an instant; a day with a clock change has 23 or 25 hours. */
export function dayAround(instantMs: number, timeZone: string): { fromMs: number; toMs: number } {
  const midnightMs = Date.parse(`${toLocalText(instantMs, timeZone).slice(0, 10)}T00:00:00Z`);
  return {
    fromMs: clockToInstantMs(midnightMs, timeZone),
    toMs: clockToInstantMs(midnightMs + dayMs, timeZone),
  };
}
