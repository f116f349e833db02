// npm run check: checks a change in a few minutes. Runs all checks of types, lint, format and dead code, the tests beside the
// files that differ from the last green `npm test`, and the tests that depend on their folders (scripts/check/tests-for.ts).
// New and changed test files run up to ten times alongside a busy process, for at most two minutes, so that a test that needs an
// idle machine fails here first. Exit code 1 if anything failed.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changedFiles } from './check/last-green.ts';
import { testsFor } from './check/tests-for.ts';
import { runStep, type Shown } from './tests/run-step.ts';
import { checks, playwrightStep, vitestStep, type Step } from './tests/steps.ts';

const rounds = 10;
const longestMs = 120_000;

const root = join(import.meta.dirname, '..');
const reports = mkdtempSync(join(tmpdir(), 'souk-reports-'));
const failed: string[] = [];
const chosen = testsFor(changedFiles(root), root);

await Promise.all(checks.map((step) => run(step, 'if it fails')));
const count = chosen.unit.length + chosen.e2e.length + chosen.browser.length;
console.log(`checks done; ${count} test files depend on the change`);
for (const step of stepsOf(chosen)) await run(step, 'live');
await repeatChanged(chosen.changed);
rmSync(reports, { recursive: true });
console.log(failed.length === 0 ? '\nnothing failed' : `\nfailed: ${failed.join(', ')}`);
if (failed.length > 0) process.exitCode = 1;

async function run(step: Step, shown: Shown): Promise<void> {
  const { ok } = await runStep(step, { root, reports, shown });
  if (!ok) failed.push(step.name);
}

function stepsOf({ unit, e2e, browser }: Record<'unit' | 'e2e' | 'browser', readonly string[]>): Step[] {
  return [
    ...(unit.length > 0 ? [vitestStep('unit', ['--project', 'unit', ...unit])] : []),
    ...(e2e.length > 0 ? [vitestStep('e2e', ['--project', 'e2e', ...e2e])] : []),
    ...(browser.length > 0 ? [playwrightStep('browser', browser)] : []),
  ];
}

/** Repeats test files while another process keeps the machine busy. */
async function repeatChanged(files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  process.on('exit', () => busy.kill());
  const steps = stepsOf({
    unit: files.filter((file) => file.endsWith('.test.ts') && !file.startsWith('e2e/')),
    e2e: files.filter((file) => file.endsWith('.test.ts') && file.startsWith('e2e/')),
    browser: files.filter((file) => file.endsWith('.spec.ts')),
  });
  const begun = performance.now();
  let round = 0;
  while (round < rounds && performance.now() - begun < longestMs && failed.length === 0) {
    round++;
    for (const step of steps) await run({ ...step, name: `${step.name}, busy round ${round}` }, 'if it fails');
  }
  busy.kill();
  console.log(`changed tests ran ${round} of ${rounds} times alongside a busy process`);
}
