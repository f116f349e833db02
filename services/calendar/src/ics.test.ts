import { describe, expect, test } from 'vitest';
import type { CalendarEvent } from './events.ts';
import { foldLine, parseLines } from './ics-lines.ts';
import { readIcs } from './ics-read.ts';
import { writeIcs } from './ics-write.ts';
import { toInstantMs, toLocalText } from './instant.ts';

const event = (change: Partial<CalendarEvent>): CalendarEvent => ({
  id: '1',
  uid: '1@calendar.souk',
  title: 'Title',
  startMs: Date.parse('2027-07-01T08:00:00Z'),
  endMs: Date.parse('2027-07-01T09:00:00Z'),
  timeZone: 'UTC',
  location: '',
  notes: '',
  ...change,
});

const reasonOf = (...lines: string[]) =>
  readIcs(['BEGIN:VEVENT', 'SUMMARY:x', ...lines, 'END:VEVENT'].join('\n')).skipped[0]?.reason;

const berlin = (time: string) => toLocalText(toInstantMs(time, 'Europe/Berlin'), 'Europe/Berlin');

describe('iCalendar', () => {
  test('a written file can be read back, with any text in it', () => {
    const events = [
      event({ title: 'Commas, semicolons; back\\slashes', notes: 'two\nlines', location: 'Zürich '.repeat(20).trim() }),
      event({ id: '2', uid: '2@x', title: '✈'.repeat(60), timeZone: 'Asia/Kolkata' }),
      event({ id: '3', uid: '3@x', timeZone: 'America/St_Johns' }),
    ];
    const ics = writeIcs(events, 0);
    for (const line of ics.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    const { events: read, skipped } = readIcs(ics);
    expect(skipped).toEqual([]);
    expect(events).toMatchObject(read);
  });

  test('a time zone is defined with its clock changes', () => {
    const ics = writeIcs([event({ timeZone: 'Europe/Berlin' })], 0);
    expect(ics).toContain('DTSTART;TZID=Europe/Berlin:20270701T100000');
    expect(ics).toContain(
      'BEGIN:DAYLIGHT\r\nDTSTART:20270328T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nEND:DAYLIGHT',
    );
    expect(ics).toContain(
      'BEGIN:STANDARD\r\nDTSTART:20271031T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nEND:STANDARD',
    );
  });

  test('UTC needs no definition', () => {
    const ics = writeIcs([event({})], 0);
    expect(ics).toContain('DTSTART:20270701T080000Z');
    expect(ics).not.toContain('VTIMEZONE');
  });

  test('folding does not split characters', () => {
    const folded = foldLine(`SUMMARY:${'ä'.repeat(100)}`);
    expect(folded.replaceAll('\r\n ', '').trim()).toBe(`SUMMARY:${'ä'.repeat(100)}`);
  });

  test('a colon inside a quoted parameter is not a separator', () => {
    const [line] = parseLines('DTSTART;X-A="a:b;c";TZID=Europe/Paris:20270101T000000');
    expect(line?.parameters.get('TZID')).toBe('Europe/Paris');
    expect(line?.value).toBe('20270101T000000');
  });

  test('an entry that is not a valid event is skipped, with the reason', () => {
    expect(reasonOf('DTSTART:20270101T000000Z')).toBe('it has no UID');
    expect(reasonOf('UID:1')).toBe('its start cannot be read');
    expect(reasonOf('UID:1', 'DTSTART:20270101T000000Z')).toBe('it has no end');
    expect(reasonOf('UID:1', 'DTSTART;TZID=Mars/Base:20270101T000000')).toContain('unknown time zone');
    expect(reasonOf('UID:1', 'DTSTART:20270101T000000Z', 'DTEND:20260101T000000Z')).toContain('after the start');
  });
});

describe('clock times', () => {
  test('a time that occurs twice is the first of the two', () => {
    expect(berlin('2027-10-31T02:30')).toBe('2027-10-31T02:30:00+02:00');
  });

  test('a time that is skipped uses the offset before the change', () => {
    expect(berlin('2027-03-28T02:30')).toBe('2027-03-28T03:30:00+02:00');
  });

  test('a day that does not exist is refused', () => {
    expect(() => toInstantMs('2027-02-30T10:00', 'UTC')).toThrow('is not a valid time');
  });
});
