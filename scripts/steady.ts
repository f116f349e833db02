// npm run steady -- <runs> [--beside <processes>] [--only <step>]: repeats the steps of `npm test` alongside busy
// processes, and prints which tests fail. Results are stored per commit, so that an interrupted run can be continued. Exit code 1
// if a test was red.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { git } from './git.ts';
import { rerunFailed } from './tests/rerun.ts';
import type { FailedTest } from './tests/run-report.ts';
import { runTurn } from './tests/run-turn.ts';
import { testTurns } from './tests/steps.ts';
import { judge } from './tests/verdict.ts';

const ranStep = z.object({
  run: z.number(),
  step: z.string(),
  seconds: z.number(),
  processorSeconds: z.number().optional(),
  passed: z.number(),
  /** Names of tests. */
  red: z.array(z.string()),
  unsteady: z.array(z.string()),
  problems: z.array(z.string()),
});
type RanStep = z.infer<typeof ranStep>;

const root = join(import.meta.dirname, '..');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { beside: { type: 'string', default: '0' }, only: { type: 'string' } },
});
const runs = wholeNumber(positionals[0], 'the number of runs');
const beside = wholeNumber(values.beside, '--beside');
const { only } = values;
const steps = testTurns.flat();
if (only !== undefined && !steps.includes(only)) stop(`--only is one of ${steps.join(', ')}, not ${only}.`);
if (git(root, 'status', '--porcelain') !== '') stop('Commit your changes first: results are stored per commit.');

const kept = join(root, 'node_modules/.cache/steady', `${git(root, 'rev-parse', 'HEAD')}-beside-${beside}.json`);
const ran: RanStep[] = existsSync(kept) ? z.array(ranStep).parse(JSON.parse(readFileSync(kept, 'utf8'))) : [];
const reports = mkdtempSync(join(tmpdir(), 'souk-reports-'));
const busy = Array.from({ length: beside }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
process.on('exit', () => busy.forEach((child) => child.kill()));
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

for (let run = 1; run <= runs; run++) {
  for (const turn of testTurns) {
    const wanted = turn.filter((step) => only === undefined || step === only);
    if (wanted.every((step) => ran.some((one) => one.run === run && one.step === step))) continue;
    console.log(`\nrun ${run} of ${runs}`);
    ran.push(...(await runSteps(run, wanted)));
    mkdirSync(join(kept, '..'), { recursive: true });
    writeFileSync(kept, JSON.stringify(ran));
  }
}
rmSync(reports, { recursive: true });
busy.forEach((child) => child.kill());
printTables(ran);
if (ran.some(({ red, problems }) => red.length + problems.length > 0)) process.exitCode = 1;

async function runSteps(run: number, steps: readonly string[]): Promise<RanStep[]> {
  const outcomes = await runTurn(steps, { root, reports });
  const passedAlone = await rerunFailed(outcomes, { root, reports, shown: 'live' });
  return outcomes.map((outcome) => {
    const { failed, unsteady, problems } = judge([outcome], (test) => passedAlone.has(test));
    return {
      run,
      step: outcome.name,
      seconds: outcome.seconds,
      processorSeconds: outcome.processorSeconds,
      passed: outcome.report?.passed ?? 0,
      red: failed.map(nameOf),
      unsteady: unsteady.map(nameOf),
      problems,
    };
  });
}

function nameOf({ file, names }: FailedTest): string {
  return [file, ...names].join(' > ');
}

function printTables(rows: readonly RanStep[]): void {
  console.log('\nstep | run | seconds | CPU seconds | passed | red | unsteady');
  for (const { step, run, seconds, processorSeconds, passed, red, unsteady, problems } of rows) {
    const cells = [
      step,
      run,
      seconds.toFixed(0),
      processorSeconds?.toFixed(0) ?? '',
      passed,
      red.length,
      unsteady.length,
    ];
    console.log(cells.join(' | '));
    for (const problem of problems) console.log(`  ${problem}`);
  }
  const names = new Set(rows.flatMap(({ red, unsteady }) => [...red, ...unsteady]));
  if (names.size > 0) console.log('\ntest | runs | red | unsteady');
  for (const name of names) {
    const count = (kind: 'red' | 'unsteady') => rows.filter((row) => row[kind].includes(name)).length;
    console.log([name, runs, count('red'), count('unsteady')].join(' | '));
  }
}

function wholeNumber(text: string | undefined, what: string): number {
  if (text === undefined || !/^\d{1,3}$/.test(text)) stop(`Give ${what}: npm run steady -- 3 --beside 2`);
  return Number(text);
}

function stop(why: string): never {
  console.error(why);
  process.exit(2);
}
