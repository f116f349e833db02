/** A time zone at an instant. */
export type ZoneTime = {
  /** ISO 8601 with the zone's offset, to the second. */
  localTime: string;
  /** Minutes that the zone is ahead of UTC. */
  utcOffsetMinutes: number;
  /** Whether the clocks stand on summer time. */
  daylightSaving: boolean;
};

/** What clocks in `timeZone` show at `instantMs`, by the time zone database that the runtime carries. */
export function zoneTime(timeZone: string, instantMs: number): ZoneTime {
  const utcOffsetMinutes = offsetMinutes(timeZone, instantMs);
  const shifted = new Date(instantMs + utcOffsetMinutes * 60_000).toISOString().slice(0, 19);
  return {
    localTime: `${shifted}${offsetText(utcOffsetMinutes)}`,
    utcOffsetMinutes,
    daylightSaving: isDaylightSaving(timeZone, instantMs, utcOffsetMinutes),
  };
}

/** Minutes that `timeZone` is ahead of UTC at `instantMs`. */
export function offsetMinutes(timeZone: string, instantMs: number): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(instantMs);
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const match = /^GMT([+-])(\d{2}):(\d{2})/.exec(name);
  if (!match) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}

function isDaylightSaving(timeZone: string, instantMs: number, offset: number): boolean {
  const year = new Date(instantMs).getUTCFullYear();
  // Summer time is the larger of the year's two offsets, on either half of the earth.
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
