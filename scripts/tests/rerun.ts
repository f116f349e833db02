import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FailedTest } from './run-report.ts';
import { runStep, type Folders, type Outcome, type Shown } from './run-step.ts';
import { playwrightStep, vitestStep, type Step } from './steps.ts';
import { mayBeRerun } from './verdict.ts';

/** Failures that are rerun. More failures have a common cause, which the first run has printed. */
const maxReruns = 10;

/**
 * Reruns each failed test once, with nothing else running.
 * @returns the tests that passed this time
 */
export async function rerunFailed(
  steps: readonly Outcome[],
  { shown, ...folders }: Folders & { shown: Shown },
): Promise<ReadonlySet<FailedTest>> {
  const failures = steps.flatMap(({ name, report }) => (report?.failures ?? []).map((test) => ({ step: name, test })));
  const reruns = failures.filter(({ test }) => mayBeRerun(test, folders.root));
  const passed = new Set<FailedTest>();
  if (reruns.length > maxReruns) return passed;
  for (const { step, test } of reruns) {
    if (shown !== 'never') console.log(`\nrerunning alone: ${test.file} > ${test.names.join(' > ')}`);
    const again = await runStep(stepOf(step, test, folders.root), { ...folders, shown });
    if (isPassed(again, test)) passed.add(test);
  }
  return passed;
}

function stepOf(step: string, test: FailedTest, root: string): Step {
  const name = 'again';
  return step === 'browser'
    ? playwrightStep(name, [test.file, '--grep', patternOf(test.names), '--workers=1'])
    : vitestStep(name, ['--project', step, test.file, '--maxWorkers=1', ...only(test, root)]);
}

/** Limits a run of Vitest to one test, unless a hook or an import failed, or the tests of the file build on each other. */
function only({ file, names }: FailedTest, root: string): string[] {
  const isSequence = readFileSync(join(root, file), 'utf8').includes('shuffle: false');
  return names.length === 0 || isSequence ? [] : ['-t', `^${patternOf(names)}$`];
}

/** Matches the names of the blocks and of the test, however the runner joins them. */
function patternOf(names: readonly string[]): string {
  const exact = names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return exact.join(' (?:> |› )?');
}

function isPassed({ ok, report }: Outcome, { names }: FailedTest): boolean {
  if (!report || report.passed === 0 || report.unhandled.length > 0) return false;
  // if the whole file ran, only the test that failed before counts
  return names.length === 0 ? ok : report.failures.every((failure) => failure.names.join() !== names.join());
}
