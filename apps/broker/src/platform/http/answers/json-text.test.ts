import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { jsonText } from './json-text.ts';

test.each([
  [{}],
  [{ only: 'a "text"' }],
  [{ none: [] }],
  [{ one: [{ a: 1 }], two: [], three: [{ b: [2] }, { c: null }], last: 'text' }],
])('%j is the same text as JSON.stringify writes', async (fields) => {
  expect(await text(jsonText(fields))).toBe(JSON.stringify(fields));
});

test('long lists are generated piece by piece, on demand', async () => {
  let made = 0;
  function* items() {
    for (; made < 10_000; made++) yield { number: made, filling: 'x'.repeat(1_000) };
  }
  let turns = 0;
  const counting = setInterval(() => turns++);
  const pieces = jsonText({ before: 'text', items: items(), after: [] });
  const first = await pieces.next();
  expect(made).toBeLessThan(100);
  let whole = first.value ?? '';
  let longest = whole.length;
  for await (const piece of pieces) {
    whole += piece;
    longest = Math.max(longest, piece.length);
  }
  clearInterval(counting);
  expect(turns, 'other work had its turns').toBeGreaterThan(5);
  expect(longest).toBeLessThan(70_000);
  expect(JSON.parse(whole)).toMatchObject({ before: 'text', after: [], items: { length: 10_000 } });
});
