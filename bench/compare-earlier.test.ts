import { expect, test } from 'vitest';
import { compareWithEarlier } from './compare-earlier.ts';
import { caseWith, goodResult } from './testing/case-result.ts';

test('a broker is compared with the earlier one in the same rounds, by its way of signing in', () => {
  const of = (target: string, ...ratios: number[]) => ({ ...goodResult, target, ratios });
  const measured = caseWith(
    of('direct', 1, 1, 1),
    of('souk postgres', 0.4, 0.2, 0.6),
    of('souk postgres oauth', 0.3, 0.3, 0.3),
    of('souk earlier-postgres', 0.4, 0.4, 0.4),
    of('souk earlier-postgres oauth', 0.6, 0.6, 0.6),
  );
  expect(compareWithEarlier([measured]).map(({ target, toEarlier }) => [target, toEarlier])).toEqual([
    ['souk postgres', 1],
    ['souk postgres oauth', 0.5],
  ]);
});

test('without an earlier broker there is nothing to compare', () => {
  expect(compareWithEarlier([caseWith(goodResult)])).toEqual([]);
});
