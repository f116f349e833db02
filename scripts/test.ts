// npm test: runs all checks and tests. The checks run in parallel, then the unit tests, then the whole-product and browser tests
// concurrently, since each spends more than half of its time waiting. Every step runs even if another has failed. Failed tests run
// once more, alone: scripts/tests/verdict.ts decides what that changes.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge, type TestedStep, type Verdict } from './tests/verdict.ts';
import { describeFailure, firstLines } from './tests/run-report.ts';
import { recordGreen } from './check/last-green.ts';
import { rerunFailed } from './tests/rerun.ts';
import { runStep, type Outcome } from './tests/run-step.ts';
import { runTurn } from './tests/run-turn.ts';
import { checks, testSteps, testTurns, type Step } from './tests/steps.ts';
import { problemsOf, unsteadyTests } from './tests/unsteady-tests.ts';

const root = join(import.meta.dirname, '..');
const reports = mkdtempSync(join(tmpdir(), 'souk-reports-'));
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const outcomes = await runLanes(checks, Math.min(2, availableParallelism()));
for (const names of testTurns) {
  outcomes.push(...(await runTurn(names, { root, reports })));
}
const tested = outcomes.filter(({ name }) => testSteps.some((step) => step.name === name));
const passedAlone = await rerunFailed(tested, { root, reports, shown: 'live' });
rmSync(reports, { recursive: true });
conclude(judge(tested, (test) => passedAlone.has(test)));

/** Runs steps in parallel. Shows only the output of those that fail. */
async function runLanes(steps: readonly Step[], lanes: number): Promise<Outcome[]> {
  const waiting = [...steps];
  const done: Outcome[] = [];
  const lane = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      done.push(await runStep(step, { root, reports, shown: 'if it fails' }));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}

/** Prints all failures again, the table of steps, the slowest files, unsteady tests, and the totals as the last line. */
function conclude({ isGreen, failed, unsteady, problems }: Verdict): void {
  const listed = problemsOf(unsteadyTests, Date.now());
  for (const failure of failed) console.log(`\nFAILED ${describeFailure(failure)}`);
  for (const problem of [...problems, ...listed]) console.log(`\nFAILED ${firstLines(problem).join('\n').trim()}`);
  console.log('\nstep         seconds   CPU seconds');
  for (const { name, ok, seconds, processorSeconds } of outcomes) {
    const cells = [name.padEnd(12), seconds.toFixed(1).padStart(7), (processorSeconds?.toFixed(1) ?? '').padStart(13)];
    console.log(`${cells.join(' ')}  ${ok ? 'ok' : 'FAILED'}`);
  }
  printSlowest(tested);
  for (const test of unsteady) console.log(`\nUNSTEADY ${describeFailure(test)}`);
  const sum = (count: (step: TestedStep) => number) => tested.reduce((total, step) => total + count(step), 0);
  const skipped = sum(({ report }) => report?.skipped ?? 0);
  if (skipped > 0) console.log(`\n${skipped} skipped: see above`);
  const checksAreOk = outcomes.every(({ name, ok }) => ok || tested.some((step) => step.name === name));
  if (!isGreen || listed.length > 0 || !checksAreOk) process.exitCode = 1;
  else recordGreen(root);
  const totals = [`${sum(({ report }) => report?.passed ?? 0)} passed`, `${failed.length} failed`];
  if (unsteady.length > 0) totals.push(`${unsteady.length} unsteady`);
  console.log(`\n${totals.join(', ')}`);
}

function printSlowest(steps: readonly TestedStep[]): void {
  const files = steps.flatMap(({ report }) => report?.files ?? []).toSorted((one, other) => other.ms - one.ms);
  console.log('\nseconds  slowest files');
  for (const { file, ms } of files.slice(0, 10)) console.log(`${(ms / 1000).toFixed(1).padStart(7)}  ${file}`);
}
