import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTests } from '../spec-coverage.ts';

// A test that asserts a time or memory fails on a slow or busy machine. `npm run limits` judges such figures: tests measure
// them with apps/broker/src/testing/figures/limits.ts.

const measuring = [
  'bestMs',
  'longestTurn',
  'processorMs',
  'performance.now',
  'cpuUsage',
  'CpuUsage',
  'memoryUsage',
  'resourceUsage',
  'hrtime',
  'eventLoopUtilization',
  'monitorEventLoopDelay',
];

test('no test measures time, processor time or memory', () => {
  const found = [...readTests(join(import.meta.dirname, '../..'))].flatMap(([file, source]) =>
    file === 'scripts/tests/machine-figures.test.ts'
      ? []
      : measuring.filter((word) => source.includes(word)).map((word) => `${file}: ${word}`),
  );
  expect(found).toEqual([]);
});
