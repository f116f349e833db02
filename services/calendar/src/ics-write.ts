import { offsetMinutes } from '@souk/service-kit/zone-time.ts';
import type { CalendarEvent } from './events.ts';
import { escapeText, foldLine } from './ics-lines.ts';
import { icsClock, timeZoneLines } from './ics-time-zone.ts';

/** Writes an iCalendar file (RFC 5545): events in UTC end with Z, others name a zone that the file defines. */
export function writeIcs(events: readonly CalendarEvent[], nowMs: number): string {
  const zones = new Map<string, { fromMs: number; toMs: number }>();
  for (const { timeZone, startMs, endMs } of events) {
    const known = zones.get(timeZone) ?? { fromMs: startMs, toMs: endMs };
    zones.set(timeZone, { fromMs: Math.min(known.fromMs, startMs), toMs: Math.max(known.toMs, endMs) });
  }
  zones.delete('UTC');
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Souk//Calendar demo service//EN',
    'CALSCALE:GREGORIAN',
    ...[...zones].flatMap(([timeZone, { fromMs, toMs }]) => timeZoneLines(timeZone, fromMs, toMs)),
    ...events.flatMap((event) => eventLines(event, nowMs)),
    'END:VCALENDAR',
  ]
    .map(foldLine)
    .join('');
}

function eventLines(event: CalendarEvent, nowMs: number): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${escapeText(event.uid)}`,
    `DTSTAMP:${icsClock(nowMs, 0)}Z`,
    timeLine('DTSTART', event.startMs, event.timeZone),
    timeLine('DTEND', event.endMs, event.timeZone),
    `SUMMARY:${escapeText(event.title)}`,
    ...(event.location === '' ? [] : [`LOCATION:${escapeText(event.location)}`]),
    ...(event.notes === '' ? [] : [`DESCRIPTION:${escapeText(event.notes)}`]),
    'END:VEVENT',
  ];
}

function timeLine(name: string, instantMs: number, timeZone: string): string {
  if (timeZone === 'UTC') return `${name}:${icsClock(instantMs, 0)}Z`;
  return `${name};TZID=${timeZone}:${icsClock(instantMs, offsetMinutes(timeZone, instantMs))}`;
}
