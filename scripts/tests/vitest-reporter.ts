import { writeFileSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';
import { reportVariable, type FailedTest, type RunReport } from './run-report.ts';

/** Writes the result of a Vitest run for `npm test`. Vitest's own JSON report lacks errors of hooks and unhandled rejections. */
export default class RunReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const path = process.env[reportVariable];
    if (path === undefined) throw new Error(`${reportVariable} is not set`);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const withState = (state: string) => tests.filter((test) => test.result().state === state);
    const report: RunReport = {
      passed: withState('passed').length,
      skipped: withState('skipped').length,
      failures: [...withState('failed').map(ofTest), ...modules.flatMap(outsideTests)],
      unhandled: unhandledErrors.map(textOf),
      files: modules.map((module) => ({ file: module.relativeModuleId, ms: module.diagnostic().duration })),
    };
    writeFileSync(path, JSON.stringify(report));
  }
}

function ofTest(test: TestCase): FailedTest {
  const { errors = [] } = test.result();
  return { file: test.module.relativeModuleId, names: namesOf(test), message: errors[0] ? textOf(errors[0]) : '' };
}

/** Failed imports and hooks. */
function outsideTests(module: TestModule): FailedTest[] {
  const blocks: (TestModule | TestSuite)[] = [module, ...module.children.allSuites()];
  const errors = blocks.flatMap((block) => block.errors());
  return errors.map((error) => ({ file: module.relativeModuleId, names: [], message: textOf(error) }));
}

function namesOf(task: TestCase | TestSuite): string[] {
  const { parent } = task;
  return [...(parent.type === 'module' ? [] : namesOf(parent)), task.name];
}

function textOf({ stack, message }: SerializedError): string {
  return stack ?? message;
}
