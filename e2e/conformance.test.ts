import { expect, test } from 'vitest';
import { runToEnd } from './product.ts';

test('[CFG-20] npm run conformance: the official suite passes every scored check of both revisions against our gateway, our upstream side and our OAuth server', async () => {
  const run = await runToEnd(['conformance/run.ts']);
  // first the scenarios that failed, in few lines
  const failed = run.stdout.split('\n').filter((line) => /: \d+ failed(?!, not scored)/.test(line));
  expect(failed, run.output.slice(-8000)).toEqual([]);
  expect(run.code, run.output.slice(-8000)).toBe(0);
  const rows = [...run.stdout.matchAll(/^(\S+(?: \S+)?) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) {2}ok$/gm)];
  // checks the sizes, which are frozen with the requirement sets: a suite that ran nothing would pass too
  // the warning: the suite knows one address of a client's document, and here each server has a separate one (decision
  // 0055)
  expect(rows.map(([, leg, scenarios, , failed, warnings]) => [leg, Number(scenarios), failed, warnings])).toEqual([
    ['server 2025-11-25', 30, '0', '0'],
    ['client 2025-11-25', 18, '0', '1'],
    ['server 2026-07-28', 37, '0', '0'],
    ['client 2026-07-28', 32, '0', '1'],
    ['authorization', 3, '0', '0'],
  ]);
});
