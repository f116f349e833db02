/** A time zone at an instant. */
export type ZoneTime = {
  /** ISO 8601 with the zone's offset, to the second. */
  localTime: string;
  /** Minutes by which the zone is ahead of UTC. */
  utcOffsetMinutes: number;
  daylightSaving: boolean;
};

/** Returns the local time in `timeZone` at `instantMs`, from the runtime's time zone database. */
export function zoneTime(timeZone: string, instantMs: number): ZoneTime {
  const utcOffsetMinutes = offsetMinutes(timeZone, instantMs);
  const shifted = new Date(instantMs + utcOffsetMinutes * 60_000).toISOString().slice(0, 19);
  return {
    localTime: `${shifted}${offsetText(utcOffsetMinutes)}`,
    utcOffsetMinutes,
    daylightSaving: isDaylightSaving(timeZone, instantMs, utcOffsetMinutes),
  };
}

/** Returns the minutes by which `timeZone` is ahead of UTC at `instantMs`. */
export function offsetMinutes(timeZone: string, instantMs: number): number {
  const parts = offsetFormat(timeZone).formatToParts(instantMs);
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const match = /^GMT([+-])(\d{2}):(\d{2})/.exec(name);
  if (!match) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}

/** Cached formatters, which are slow to create and large. */
const maxFormats = 16;
const formats = new Map<string, Intl.DateTimeFormat>();

function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  if (formats.size >= maxFormats) formats.clear();
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  return format;
}

/** Whether the runtime's time zone database knows this IANA name. */
export function isTimeZone(timeZone: string): boolean {
  try {
    offsetFormat(timeZone);
    return true;
  } catch {
    return false;
  }
}

function isDaylightSaving(timeZone: string, instantMs: number, offset: number): boolean {
  const year = new Date(instantMs).getUTCFullYear();
  // daylight-saving time is the larger of the year's two offsets in both hemispheres
  const offsets = [0, 6].map((month) => offsetMinutes(timeZone, Date.UTC(year, month, 1)));
  return Math.min(...offsets) !== Math.max(...offsets) && offset === Math.max(...offsets);
}

function offsetText(minutes: number): string {
  if (minutes === 0) return 'Z';
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
