import { expect, test } from 'vitest';
import { isHeaderToken, isPlain, secondsAfter } from './plain-values.ts';

const startMs = Date.UTC(2026, 10, 1);
const forEver = new Date(Date.UTC(9999, 0, 1));

test.each<[unknown, Date | undefined]>([
  [1e12, forEver],
  [1e308, forEver],
  ['1000000000000', forEver],
  ['3600', new Date(startMs + 3_600_000)],
  [1e-9, new Date(startMs)],
  ...[-1, 0, '0', 'soon', 'never', '', true, [60], { seconds: 60 }].map((said): [unknown, undefined] => [
    said,
    undefined,
  ]),
])('a lifetime of %j seconds ends at a valid date, or is ignored', (said, end) => {
  expect(secondsAfter(startMs, said)).toEqual(end);
});

test('only visible ASCII characters are plain, and a token in a header has no space and is not empty', () => {
  for (const text of ['a\0b', 'ä', 'b\r\nc', 'schlüssel']) {
    expect([isPlain(text), isHeaderToken(text, 100)], text).toEqual([false, false]);
  }
  expect([isPlain('a b'), isHeaderToken('a b', 100)]).toEqual([true, false]);
  expect([isPlain(''), isHeaderToken('', 100)]).toEqual([true, false]);
  expect([isHeaderToken('abc', 3), isHeaderToken('abc', 2)]).toEqual([true, false]);
});
