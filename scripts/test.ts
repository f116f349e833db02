// npm test: all checks and tests. The checks run in parallel, then the unit tests, and those that measure time alone; then the
// whole-product tests and the browser's side by side, since each waits for more than half of its time. Every step runs even
// if another has failed.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readReport } from './test-report.ts';
import { checks, testProjects, testTurns, type Step } from './test-steps.ts';

const root = join(import.meta.dirname, '..');
const reports = mkdtempSync(join(tmpdir(), 'souk-reports-'));

type Outcome = { name: string; ok: boolean; seconds: number };

const vitestSteps: Step[] = testProjects.map((project) => {
  const report = join(reports, `${project}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return {
    name: project,
    report,
    args: ['vitest/vitest.mjs', 'run', '--project', project, '--passWithNoTests', ...reporters],
  };
});
const tests: Step[] = [
  ...vitestSteps,
  {
    name: 'browser',
    report: join(reports, 'browser.json'),
    args: ['@playwright/test/cli.js', 'test', '--reporter=list,json'],
  },
];

const outcomes = await runLanes(checks, Math.min(2, availableParallelism()));
for (const names of testTurns) {
  console.log(`\n${names.join(' and ')} tests`);
  const steps = tests.filter(({ name }) => names.includes(name));
  // one shows its output as it comes, the others when they have ended
  outcomes.push(...(await Promise.all(steps.map((step) => run(step, step.name === names[0] ? 'live' : 'at the end')))));
}
conclude(outcomes);

/** Runs steps in parallel. Shows only the output of those that fail. */
async function runLanes(steps: readonly Step[], lanes: number): Promise<Outcome[]> {
  const waiting = [...steps];
  const done: Outcome[] = [];
  const lane = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) done.push(await run(step, 'if it fails'));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}

function run({ name, args, report }: Step, shown: 'live' | 'at the end' | 'if it fails'): Promise<Outcome> {
  const begun = performance.now();
  const [program = '', ...rest] = args;
  const child = spawn(process.execPath, [join(root, 'node_modules', program), ...rest], {
    cwd: root,
    stdio: shown === 'live' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(report && { PLAYWRIGHT_JSON_OUTPUT_FILE: report }) },
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk));
  return new Promise((resolve) => {
    const finish = (ok: boolean) => {
      if (shown === 'at the end' || (shown === 'if it fails' && !ok)) {
        const text = Buffer.concat(output).toString('utf8').trimEnd();
        console.log(`\n${name} ${ok ? 'passed' : 'failed'}:\n${text}\n`);
      }
      resolve({ name, ok, seconds: (performance.now() - begun) / 1000 });
    };
    child.on('error', (error) => {
      output.push(Buffer.from(error.message));
      finish(false);
    });
    child.on('close', (code) => finish(code === 0));
  });
}

/** Prints each failure again, then the table of steps, then the test totals as the last line. */
function conclude(done: readonly Outcome[]): void {
  const totals = tests.map(({ report = '' }) => readReport(report, root));
  rmSync(reports, { recursive: true });
  for (const failure of totals.flatMap(({ failures }) => failures)) console.log(`\nFAILED ${failure}`);
  tests.forEach(({ name }, index) => {
    // an unhandled rejection is in no report
    const unexplained = totals[index]?.failed === 0 && done.some((step) => step.name === name && !step.ok);
    if (unexplained) console.log(`\nFAILED ${name}: no test failed, see above why the run did`);
  });
  console.log('\nstep         seconds');
  for (const { name, ok, seconds } of done) {
    console.log(`${name.padEnd(12)} ${seconds.toFixed(1).padStart(7)}  ${ok ? 'ok' : 'FAILED'}`);
  }
  const sum = (key: 'passed' | 'failed' | 'skipped') => totals.reduce((total, counts) => total + counts[key], 0);
  if (sum('skipped') > 0) console.log(`\n${sum('skipped')} skipped: see above why`);
  if (done.some(({ ok }) => !ok)) process.exitCode = 1;
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
}
