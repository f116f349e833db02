import { isTimeZone } from '@souk/service-kit/zone-time.ts';
import { problemOfTimes, type EventDraft } from './events.ts';
import { parseLines, unescapeText, type IcsLine } from './ics-lines.ts';
import { clockToInstantMs } from './instant.ts';

export type IcsContent = {
  events: (EventDraft & { uid: string })[];
  /** Events that could not be imported: title and reason. */
  skipped: { title: string; reason: string }[];
};

type Moment = { ms: number; timeZone: string; wholeDay: boolean };

const dayMs = 86_400_000;
const maxTitle = 200;
const maxText = 4_000;

/**
 * Reads the events of an iCalendar file (RFC 5545). Times without a zone are in X-WR-TIMEZONE, else UTC; whole days run
 * from midnight to midnight there. Repeating events are skipped: this calendar does not support them.
 */
export function readIcs(ics: string): IcsContent {
  const content: IcsContent = { events: [], skipped: [] };
  const lines = parseLines(ics);
  const named = lines.find((line) => line.name === 'X-WR-TIMEZONE')?.value ?? 'UTC';
  const defaultZone = isTimeZone(named) ? named : 'UTC';
  for (const properties of eventsIn(lines)) {
    const title = unescapeText(properties.get('SUMMARY')?.value ?? '').slice(0, maxTitle) || 'Untitled';
    const event = readEvent(properties, title, defaultZone);
    if (typeof event === 'string') content.skipped.push({ title, reason: event });
    else content.events.push(event);
  }
  return content;
}

/** Returns the properties of each VEVENT, without those of its alarms. */
function eventsIn(lines: readonly IcsLine[]): Map<string, IcsLine>[] {
  const events: Map<string, IcsLine>[] = [];
  const open: string[] = [];
  for (const line of lines) {
    const component = line.value.toUpperCase();
    if (line.name === 'BEGIN') {
      open.push(component);
      if (component === 'VEVENT') events.push(new Map());
    } else if (line.name === 'END') open.pop();
    else if (open.at(-1) === 'VEVENT') events.at(-1)?.set(line.name, line);
  }
  return events;
}

/** Returns the event, or why it is invalid. */
function readEvent(
  properties: ReadonlyMap<string, IcsLine>,
  title: string,
  defaultZone: string,
): (EventDraft & { uid: string }) | string {
  const uid = properties.get('UID')?.value;
  if (uid === undefined || uid === '' || uid.length > 255) return 'it has no UID';
  if (properties.has('RRULE') || properties.has('RDATE')) return 'it repeats';
  const start = readMoment(properties.get('DTSTART'), defaultZone);
  if (typeof start === 'string') return `its start ${start}`;
  const endMs = readEnd(properties, start, defaultZone);
  if (typeof endMs === 'string') return endMs;
  const problem = problemOfTimes(start.ms, endMs);
  if (problem !== undefined) return problem;
  const text = (name: string, max: number) => unescapeText(properties.get(name)?.value ?? '').slice(0, max);
  return {
    uid: unescapeText(uid),
    title,
    startMs: start.ms,
    endMs,
    timeZone: start.timeZone,
    location: text('LOCATION', maxTitle),
    notes: text('DESCRIPTION', maxText),
  };
}

function readEnd(properties: ReadonlyMap<string, IcsLine>, start: Moment, defaultZone: string): number | string {
  const duration = properties.get('DURATION')?.value;
  if (duration !== undefined) {
    const durationMs = readDuration(duration);
    return durationMs === undefined ? 'its duration cannot be read' : start.ms + durationMs;
  }
  const line = properties.get('DTEND');
  // Section 3.6.1: a whole day without an end lasts that day.
  if (line === undefined) return start.wholeDay ? start.ms + dayMs : 'it has no end';
  const end = readMoment(line, defaultZone);
  return typeof end === 'string' ? `its end ${end}` : end.ms;
}

function readMoment(line: IcsLine | undefined, defaultZone: string): Moment | string {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z)?)?$/.exec(line?.value ?? '');
  if (!line || !match) return 'cannot be read';
  const [, year, month, day, hour = '00', minute = '00', second = '00', utc] = match;
  const clockMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(clockMs)) return 'is not a valid date';
  if (utc !== undefined) return { ms: clockMs, timeZone: 'UTC', wholeDay: false };
  const timeZone = line.parameters.get('TZID') ?? defaultZone;
  if (!isTimeZone(timeZone)) return `is in an unknown time zone: ${timeZone.slice(0, 64)}`;
  return { ms: clockToInstantMs(clockMs, timeZone), timeZone, wholeDay: match[4] === undefined };
}

/** Parses P1W, P1DT2H30M (section 3.3.6); undefined for anything else. */
function readDuration(text: string): number | undefined {
  const match = /^\+?P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?$/.exec(text);
  if (!match) return undefined;
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  const inDays = (weeks ?? 0) * 7 + (days ?? 0);
  return inDays * dayMs + (((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1_000;
}
