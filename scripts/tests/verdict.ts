import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FailedTest, RunReport } from './run-report.ts';

/** A step of `npm test` that runs tests. */
export type TestedStep = { name: string; ok: boolean; report: RunReport | undefined };

export type Verdict = {
  isGreen: boolean;
  failed: FailedTest[];
  /** Failed, then passed when rerun alone. */
  unsteady: FailedTest[];
  /** Reasons other than a failed test. */
  problems: string[];
};

/** Unsteady tests allowed per run. */
const mostUnsteady = 3;

/**
 * Tells failed tests from unsteady ones.
 * @param passedAlone whether a failed test passed when rerun
 */
export function judge(steps: readonly TestedStep[], passedAlone: (test: FailedTest) => boolean): Verdict {
  const failures = steps.flatMap(({ report }) => report?.failures ?? []);
  const unsteady = failures.filter(passedAlone);
  const failed = failures.filter((failure) => !unsteady.includes(failure));
  const problems = steps.flatMap(problemsOf);
  if (unsteady.length > mostUnsteady) {
    problems.push(`${unsteady.length} tests are unsteady, at most ${mostUnsteady} may be`);
  }
  return { isGreen: failed.length === 0 && problems.length === 0, failed, unsteady, problems };
}

/** Returns why a step is red, apart from failed tests. */
function problemsOf({ name, ok, report }: TestedStep): string[] {
  if (!report) return [`${name}: the runner ended without a report, see its output above`];
  const outside = report.unhandled.map((error) => `${name}: error outside all tests: ${error}`);
  if (outside.length === 0 && !ok && report.failures.length === 0) {
    return [`${name}: no test failed, see its output above for why the step did`];
  }
  return outside;
}

/** Tests of money and of durability, which must never fail. */
const neverRerun = /\[(?:I[1-4]|chaos|model|money)\]/;

/**
 * Whether a failed test may be rerun. Tests of random sequences may not, because a rerun draws other sequences.
 * @param root the folder that the test's file is relative to
 */
export function mayBeRerun({ file, names }: FailedTest, root: string): boolean {
  if (neverRerun.test(names.join(' '))) return false;
  return !readFileSync(join(root, file), 'utf8').includes("'fast-check'");
}
