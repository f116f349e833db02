import { expect, test } from 'vitest';
import { compareCharged } from './compare-charged.ts';
import { caseWith, goodResult } from './testing/case-result.ts';

test('charged calls are compared with free ones of the same brokers in the same rounds', () => {
  const of = (target: string, ...ratios: number[]) => ({ ...goodResult, target, ratios });
  const measured = caseWith(
    of('direct', 1, 1, 1),
    of('souk postgres', 0.4, 0.5, 0.4),
    of('souk postgres charged', 0.2, 0.5, 0.3),
    of('souk postgres pair', 0.4, 0.4, 0.4),
    of('souk postgres pair-charged', 0.2, 0.3, 0.4),
    of('souk postgres oauth', 0.1, 0.1, 0.1),
  );
  expect(compareCharged([measured]).map(({ target, share, least, most }) => [target, share, least, most])).toEqual([
    ['souk postgres charged', 0.75, 0.5, 1],
    ['souk postgres pair-charged', 0.75, 0.5, 1],
  ]);
});
