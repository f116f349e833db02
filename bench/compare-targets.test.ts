import { expect, test } from 'vitest';
import { compareCharged, compareWithEarlier } from './compare-targets.ts';
import { caseWith, goodResult } from './testing/case-result.ts';

test('charged calls are compared with free ones of the same brokers in the same rounds', () => {
  const of = (target: string, ...ratios: number[]) => ({
    ...goodResult,
    target,
    ratios,
    databaseCpuMsPerCall: target.endsWith('charged') ? 0.25 : undefined,
  });
  const measured = caseWith(
    of('direct', 1, 1, 1),
    of('souk postgres', 0.4, 0.5, 0.4),
    of('souk postgres charged', 0.2, 0.5, 0.3),
    of('souk postgres pair', 0.4, 0.4, 0.4),
    of('souk postgres pair-charged', 0.2, 0.3, 0.4),
    of('souk postgres oauth', 0.1, 0.1, 0.1),
  );
  const shares = compareCharged([measured]);
  expect(shares.map(({ target, share, least, most, cpuShare }) => [target, share, least, most, cpuShare])).toEqual([
    ['souk postgres charged', 0.75, 0.5, 1, 0.8],
    ['souk postgres pair-charged', 0.75, 0.5, 1, undefined],
  ]);
});

test('a broker is compared with the earlier one in the same rounds, by its way of signing in', () => {
  const of = (target: string, ...ratios: number[]) => ({ ...goodResult, target, ratios });
  const measured = caseWith(
    of('direct', 1, 1, 1),
    of('souk postgres', 0.4, 0.2, 0.6),
    of('souk postgres oauth', 0.3, 0.3, 0.3),
    of('souk earlier-postgres', 0.4, 0.4, 0.4),
    of('souk earlier-postgres oauth', 0.6, 0.6, 0.6),
  );
  expect(compareWithEarlier([measured]).map(({ target, share }) => [target, share])).toEqual([
    ['souk postgres', 1],
    ['souk postgres oauth', 0.5],
  ]);
});

test('without an earlier broker, and without charges, there is nothing to compare', () => {
  expect(compareWithEarlier([caseWith(goodResult)])).toEqual([]);
  expect(compareCharged([caseWith(goodResult)])).toEqual([]);
});
