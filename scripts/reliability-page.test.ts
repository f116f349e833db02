import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proofs } from './proofs.ts';
import { reliabilityPage, type Measured } from './reliability-page.ts';

const known = { I1: { description: 'credits add up' }, I2: { description: 'no double charge' } };
const measured = (proof: string, figure: string): Measured => ({
  proof,
  holds: Object.entries(known).find(([name]) => name === proof)?.[1].description ?? '',
  figures: [figure],
  machine: 'a machine',
  date: '2026-11-26',
  commit: 'abc1234',
});
const rowsOf = (page: string) => page.split('\n').filter((line) => /^\| I\d/.test(line));

test('a run writes its own row, keeps the others, and marks the rest as not measured', () => {
  const first = reliabilityPage(undefined, known, measured('I2', '20,000 calls'));
  expect(rowsOf(first)).toEqual([
    expect.stringMatching(/^\| I1 +\| credits add up +\| not measured/),
    expect.stringMatching(/^\| I2 +\| no double charge \| 20,000 calls \| a machine \| 2026-11-26 \| abc1234 \|$/),
  ]);
  const second = reliabilityPage(first, known, measured('I1', '1 | 2\n3'));
  expect(rowsOf(second)).toEqual([expect.stringContaining('1   2 3'), expect.stringContaining('20,000 calls')]);
  const third = reliabilityPage(second, known, measured('I1', 'again'));
  expect(rowsOf(third)).toEqual([expect.stringContaining('again'), expect.stringContaining('20,000 calls')]);
});

test('docs/reliability.md has a row for each proof', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/reliability.md'), 'utf8');
  const names = page.split('\n').flatMap((line) => /^\| (\w[\w-]*) +\| /.exec(line)?.[1] ?? []);
  expect(names).toEqual(['Proof', ...Object.keys(proofs)]);
});
