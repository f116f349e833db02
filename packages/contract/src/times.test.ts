import { expect, test } from 'vitest';
import { cursorSchema, daySchema, momentSchema, momentTextSchema, numberedCursorSchema } from './times.ts';

/**
 * Texts that look like a time of ISO 8601 but are invalid, also for PostgreSQL, and words that PostgreSQL accepts as
 * times.
 */
const oddTimes = [
  '',
  'yesterday',
  'infinity',
  '-infinity',
  'epoch',
  '1e3',
  '\0',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00',
  '10000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  '2026-02-29T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T23:60:00Z',
  '2026-01-01T23:59:60Z',
  '2026-01-01T00:00:00+23:59',
  '2026-01-01T00:00:00-23:59',
  '2026-01-01T00:00:00+15:00',
  '2026-01-01T00:00:00+99:99',
  '2026-01-01T00:00:00',
  '2026-01-01 00:00:00Z',
  '2026-01-01T00:00:00Z ',
  `2026-01-01T00:00:00.${'9'.repeat(300)}Z`,
  '٢٠٢٦-01-01T00:00:00Z',
];
const goodTimes = [
  '0001-01-01T00:00:00Z',
  '1969-12-31T23:59:59.999Z',
  '2024-02-29T23:59:59.999999999+14:00',
  '2026-01-01T00:00:00-12:00',
  '9999-12-31T23:59:59.999Z',
];
const anId = '019aa000-0000-7000-8000-000000000000';
const places = [anId, '1'];
/** Times that a list never writes: it writes UTC, with milliseconds. */
const oddCursorTimes = [
  ...oddTimes,
  '2026-01-01T00:00:00Z',
  '2026-02-30T00:00:00.000Z',
  '2026-01-01T00:00:00.000+01:00',
];
const oddPlaces = ['', 'x', '0', '1'.repeat(16), anId.toUpperCase(), `${anId}_`, `${anId}${'0'.repeat(300)}`];

test('bad input 71: a time or a day that no database accepts is refused, and every other is accepted', () => {
  for (const schema of [momentSchema, momentTextSchema, daySchema]) {
    expect(oddTimes.filter((time) => schema.safeParse(time).success)).toEqual([]);
    expect(goodTimes.filter((time) => !schema.safeParse(time).success)).toEqual([]);
  }
  const oddDays = ['0000-01-01', '2026-02-30', '2026-1-1', '10000-01-01', '2026-01-01Z'];
  expect(oddDays.filter((day) => daySchema.safeParse(day).success)).toEqual([]);
  expect(daySchema.parse('2024-02-29')).toEqual({ from: new Date('2024-02-29'), to: new Date('2024-03-01') });
});

test('bad input 71: a cursor that no list has written is refused', () => {
  const odd = [
    '',
    'x',
    '\0',
    ...places,
    ...oddCursorTimes.flatMap((time) => places.map((place) => `${time}_${place}`)),
    ...oddPlaces.map((place) => `2026-01-01T00:00:00.000Z_${place}`),
  ];
  for (const schema of [cursorSchema, numberedCursorSchema])
    expect(odd.filter((cursor) => schema.safeParse(cursor).success)).toEqual([]);
  const at = new Date('2024-02-29T00:00:00.000Z');
  expect(cursorSchema.parse(`2024-02-29T00:00:00.000Z_${anId}`)).toEqual({ at, id: anId });
  expect(numberedCursorSchema.parse('2024-02-29T00:00:00.000Z_12')).toEqual({ at, id: 12 });
});
