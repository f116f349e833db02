import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';

/** A runner's report: the counts, and for each failed test its file, its name and the beginning of the failure. */
export type TestReport = { passed: number; failed: number; skipped: number; failures: string[] };

const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});

const playwrightSpec = z.object({
  file: z.string(),
  title: z.string(),
  ok: z.boolean(),
  tests: z.array(z.object({ results: z.array(z.object({ error: z.object({ message: z.string() }).nullish() })) })),
});

const playwrightSuite = z.object({
  specs: z.array(playwrightSpec),
  get suites() {
    return z.array(playwrightSuite).optional();
  },
});

const playwrightReport = z.object({
  // errors outside any test: a file that cannot be imported stops the whole run
  errors: z.array(z.object({ message: z.string() })),
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number(), skipped: z.number() }),
  suites: z.array(playwrightSuite),
});

/**
 * Reads the JSON report of vitest or Playwright.
 * @param root the folder that file names are relative to
 * @returns zeros if the runner wrote no file: its step has then failed anyway
 */
export function readReport(file: string, root: string): TestReport {
  if (!existsSync(file)) return { passed: 0, failed: 0, skipped: 0, failures: [] };
  const written: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const vitest = vitestReport.safeParse(written);
  return vitest.success ? ofVitest(vitest.data, root) : ofPlaywright(playwrightReport.parse(written));
}

function ofVitest(report: z.infer<typeof vitestReport>, root: string): TestReport {
  const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    // a file that cannot be imported, or whose hook fails, has no failed test (vitest reports no text for a hook)
    if (status === 'failed' && failed.length === 0) {
      return [describe(relative(root, name), 'before or after its tests', message)];
    }
    return failed.map((test) => describe(relative(root, name), test.fullName, test.failureMessages?.[0]));
  });
  return {
    passed: report.numPassedTests,
    failed: failures.length,
    skipped: report.numPendingTests + report.numTodoTests,
    failures,
  };
}

function ofPlaywright({ errors, stats, suites }: z.infer<typeof playwrightReport>): TestReport {
  const specsOf = (suite: z.infer<typeof playwrightSuite>): z.infer<typeof playwrightSpec>[] => [
    ...suite.specs,
    ...(suite.suites ?? []).flatMap(specsOf),
  ];
  const outside = errors.map(({ message }) => describe('journeys', 'outside any test', message));
  const failures = suites
    .flatMap(specsOf)
    .map((spec) => ({ ...spec, error: spec.tests.flatMap(({ results }) => results).find(({ error }) => error)?.error }))
    .filter(({ ok, error }) => !ok || error)
    .map(({ file, title, error }) => describe(file, title, error?.message));
  // a test that passes only on retry counts as failed
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + outside.length,
    skipped: stats.skipped,
    failures: [...outside, ...failures],
  };
}

const shownLines = 4;

function describe(file: string, name: string, message = ''): string {
  const begins = stripVTControlCharacters(message).split('\n').slice(0, shownLines);
  return [`${file} > ${name}`, ...begins.map((line) => `    ${line.slice(0, 200)}`)].join('\n');
}
