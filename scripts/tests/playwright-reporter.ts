import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, Suite, TestCase, TestError } from '@playwright/test/reporter';
import { reportVariable, type FailedTest, type RunReport } from './run-report.ts';

/** Writes the result of a Playwright run for `npm test`. */
export default class RunReporter implements Reporter {
  #root: Suite | undefined;
  readonly #outside: TestError[] = [];

  onBegin(_config: unknown, root: Suite): void {
    this.#root = root;
  }

  onError(error: TestError): void {
    this.#outside.push(error);
  }

  onEnd(): void {
    const path = process.env[reportVariable];
    if (path === undefined) throw new Error(`${reportVariable} is not set`);
    const tests = this.#root?.allTests() ?? [];
    const withOutcome = (outcome: string) => tests.filter((test) => test.outcome() === outcome);
    const report: RunReport = {
      passed: withOutcome('expected').length,
      skipped: withOutcome('skipped').length,
      failures: withOutcome('unexpected').map(ofTest),
      unhandled: this.#outside.map(textOf),
      files: Object.entries(Object.groupBy(tests, fileOf)).map(([file, own = []]) => ({
        file,
        ms: own.flatMap(({ results }) => results).reduce((sum, { duration }) => sum + duration, 0),
      })),
    };
    writeFileSync(path, JSON.stringify(report));
  }
}

function ofTest(test: TestCase): FailedTest {
  const error = test.results.flatMap(({ errors }) => errors)[0];
  // the first three parts are the root, the project and the file
  return { file: fileOf(test), names: test.titlePath().slice(3), message: error ? textOf(error) : '' };
}

function fileOf({ location }: TestCase): string {
  return relative(process.cwd(), location.file);
}

function textOf({ stack, message, value }: TestError): string {
  return stack ?? message ?? value ?? '';
}
