import { expect, test } from 'vitest';
import { compareCharged } from './compare-charged.ts';
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
  expect(
    compareCharged([measured]).map(({ target, share, least, most, cpuShare }) => [
      target,
      share,
      least,
      most,
      cpuShare,
    ]),
  ).toEqual([
    ['souk postgres charged', 0.75, 0.5, 1, 0.8],
    ['souk postgres pair-charged', 0.75, 0.5, 1, undefined],
  ]);
});
