import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { encodeInTurns, hasLongList } from './encode-in-turns.ts';

const at = new Date('2026-11-26T00:00:00Z');
const items = (length: number, item: unknown) => Array.from({ length }, () => item);

test.each([
  ['a list', items(60, { a: 1, b: [undefined, null, at], c: undefined, '"': 'é\u2028' })],
  [
    'lists in a response',
    { success: true, none: undefined, when: at, short: [1], long: items(51, 'x'), also: items(70, undefined) },
  ],
  ['a list in data', { data: { '__proto__ ': 1, calls: items(200, { id: 'a' }), pagination: { page: 1 } }, end: null }],
  ['a list too deep to be found', { a: { b: { c: items(100, 1) } } }],
  ['no list', { success: true, text: '\u0000' }],
])('the JSON of %s is what JSON.stringify writes, with its digest', async (_what, answer) => {
  const { text, digest } = await encodeInTurns(answer);
  expect(text.toString()).toBe(JSON.stringify(answer));
  expect(digest).toEqual(createHash('sha256').update(text).digest());
});

test('encoding a long response leaves other work its turns', async () => {
  const answer = {
    capabilities: items(512, { description: 'word '.repeat(12_000), displayDescription: 'word '.repeat(12_000) }),
  };
  expect(hasLongList(answer)).toBe(true);
  let turns = 0;
  let next = setImmediate(function turn() {
    turns++;
    next = setImmediate(turn);
  });
  await encodeInTurns(answer);
  clearImmediate(next);
  // 60 MB take far more than five times the 5 ms of a turn
  expect(turns).toBeGreaterThan(5);
});
