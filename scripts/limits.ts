// npm run limits [-- <name>]: measures the product's limits in milliseconds and MiB, with nothing else running on this
// machine. The tests are those of `npm test` that use apps/broker/src/testing/figures/limits.ts; with a name, those whose names
// contain it. Prints a table; exit code 1 if a limit is exceeded or a test fails.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import type { Measured } from '../apps/broker/src/testing/figures/limits.ts';
import { calibrate } from './limits/calibrate.ts';

const root = join(import.meta.dirname, '..');
const [name] = process.argv.slice(2);
const factors = calibrate();
const factorWords = Object.entries(factors).map(([part, factor]) => `${part} ${factor.toFixed(2)}`);
console.log(`This machine is slower than the reference machine by: ${factorWords.join(', ')}`);

const folder = mkdtempSync(join(tmpdir(), 'souk-limits-'));
const file = join(folder, 'measured.jsonl');
const pattern = name === undefined ? [] : ['-t', name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)];
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=1', '--passWithNoTests', ...filesWithLimits(), ...pattern],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SOUK_LIMITS: file, SOUK_LIMIT_FACTORS: JSON.stringify(factors) },
  },
);
const measured = existsSync(file) ? readMeasured(file) : [];
rmSync(folder, { recursive: true });
printTable(measured);
if (measured.length === 0) console.error(name === undefined ? 'Nothing was measured.' : `No limit is named ${name}.`);
process.exitCode = status === 0 && measured.length > 0 ? 0 : 1;

function filesWithLimits(): string[] {
  const files = globSync('{apps,packages,services,e2e}/**/*.test.ts', {
    cwd: root,
    exclude: (path) => path.endsWith('node_modules'),
  });
  return files.filter((path) => readFileSync(join(root, path), 'utf8').includes('testing/figures/limits.ts'));
}

function readMeasured(path: string): Measured[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line): Measured => JSON.parse(line));
}

function printTable(rows: readonly Measured[]): void {
  console.log('\nfigure | bound × slowness | limit');
  for (const { figure, bound, isHeld, test } of rows) {
    console.log(`${isHeld ? '' : 'EXCEEDED '}${figure} | ${bound} | ${test}`);
  }
}
