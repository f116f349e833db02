import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonFaultAt } from './json-fault.ts';

test.each([
  ['{"id": }', 7],
  ['{\n"id": ,}', 8],
  ['{"a":1,}', 7],
  ['[1,]', 3],
  ['[1 2]', 3],
  ['{a: 1}', 1],
  ["{'a': 1}", 1],
  ['{"a" 1}', 5],
  ['{"a": tru}', 6],
  ['{"a": 01}', 6],
  ['{"a": "b\n"}', 6],
  ['{} x', 3],
  ['}', 0],
  ['[}', 1],
])('%s does not fit at %i', (text, at) => {
  expect(jsonFaultAt(text)).toBe(at);
});

test.each(['', '{', '[1', '{"a"', '{"a":', '{"a": "b', '{"a": [1, {"b": 2}', '"\\'])('%s ends too early', (text) => {
  expect(jsonFaultAt(text)).toBe(text.length);
});

test('what is JSON has no fault, and what is not has one', () => {
  fc.assert(fc.property(fc.json(), (text) => expect(jsonFaultAt(text)).toBeUndefined()));
  const near = fc.stringMatching(/^[[\]{},:"\\0-9a-z \n-]{0,12}$/);
  fc.assert(
    fc.property(near, (text) => {
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect(jsonFaultAt(text) === undefined).toBe(isJson);
    }),
    { numRuns: 2000 },
  );
});
