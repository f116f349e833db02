import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';

/** Environment variable with the path of our reporters' output. */
export const reportVariable = 'SOUK_TEST_REPORT';

const failedTest = z.object({
  /** Relative to the root of the repository; empty for an error outside all files. */
  file: z.string(),
  /** Names of the enclosing blocks and of the test. Empty if the file could not be imported or one of its hooks failed. */
  names: z.array(z.string()),
  message: z.string(),
});

const runReport = z.object({
  passed: z.number(),
  skipped: z.number(),
  failures: z.array(failedTest),
  /** Errors outside all tests, such as unhandled rejections. */
  unhandled: z.array(z.string()),
  files: z.array(z.object({ file: z.string(), ms: z.number() })),
});

export type FailedTest = z.infer<typeof failedTest>;
/** The result of one run of Vitest or Playwright, as our reporters write it. */
export type RunReport = z.infer<typeof runReport>;

/** @returns undefined if the runner ended before it wrote its report */
export function readReport(path: string): RunReport | undefined {
  return existsSync(path) ? runReport.parse(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
}

const shownLines = 3;
/** Stack lines outside our files. */
const foreign = /^\s*at .*(node:|node_modules)/;

/** Formats the file, the name and the first lines of a failure. */
export function describeFailure({ file, names, message }: FailedTest): string {
  const name = names.length > 0 ? names.join(' > ') : 'outside its tests';
  return [`${file} > ${name}`, ...firstLines(message)].join('\n');
}

export function firstLines(message: string): string[] {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '' && !foreign.test(line));
  return lines.slice(0, shownLines).map((line) => `    ${line.slice(0, 160)}`);
}
