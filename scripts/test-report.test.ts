import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readReport } from './test-report.ts';

const root = join(import.meta.dirname, '..');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'souk-report-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

const threeTests = (runner: string) => `import { expect, test } from '${runner}';
test('holds', () => {});
test.skip('waits', () => {});
test('breaks', () => expect(1).toBe(2));`;

test(
  "what vitest reports: tests that fail, a file that cannot be imported, a block's hook",
  { timeout: 60_000 },
  () => {
    write('three.test.ts', threeTests('vitest'));
    write('unreadable.test.ts', `import './nowhere.ts';`);
    write(
      'hook.test.ts',
      `import { beforeAll, describe, test } from 'vitest';
    describe('block', () => {
      beforeAll(() => Promise.reject(new Error('no start')));
      test('never begins', () => {});
    });`,
    );
    const file = join(folder, 'vitest.json');
    run('vitest/vitest.mjs', ['run', '--root', folder, '--reporter=json', `--outputFile=${file}`], {});
    const report = readReport(file, folder);
    expect(report).toMatchObject({ passed: 1, failed: 3, skipped: 2 });
    expect(report.failures.toSorted()).toEqual([
      expect.stringMatching(/^hook\.test\.ts > before or after its tests/),
      expect.stringMatching(/^three\.test\.ts > breaks\n {4}AssertionError: expected 1 to be 2/),
      expect.stringMatching(/^unreadable\.test\.ts > before or after its tests\n {4}.*nowhere\.ts/),
    ]);
  },
);

test('what Playwright reports: tests that fail, or a file that cannot be imported', () => {
  write('journeys/three.spec.ts', threeTests('@playwright/test'));
  const file = join(folder, 'playwright.json');
  const runJourneys = () =>
    run('@playwright/test/cli.js', ['test', 'journeys', '--reporter=json'], { PLAYWRIGHT_JSON_OUTPUT_FILE: file });
  runJourneys();
  const report = readReport(file, folder);
  expect(report).toMatchObject({ passed: 1, failed: 1, skipped: 1 });
  expect(report.failures).toEqual([expect.stringMatching(/three\.spec\.ts > breaks\n {4}Error: .*toBe/)]);

  write('journeys/unreadable.spec.ts', `import './nowhere.ts';`);
  runJourneys();
  const stopped = readReport(file, folder);
  expect(stopped).toMatchObject({ passed: 0, failed: 1 });
  expect(stopped.failures).toEqual([expect.stringMatching(/^journeys > outside any test\n {4}.*nowhere\.ts/)]);
});

test('a runner that wrote no report has zero counts', () => {
  expect(readReport(join(folder, 'none.json'), folder)).toEqual({ passed: 0, failed: 0, skipped: 0, failures: [] });
});

function write(name: string, text: string): void {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
}

/** Runs a tool on the scratch folder in its own process, separate from this test run. */
function run(program: string, args: string[], variables: NodeJS.ProcessEnv): void {
  const { PATH, HOME } = process.env;
  const done = spawnSync(process.execPath, [join(root, 'node_modules', program), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH, HOME, ...variables },
  });
  expect(done.status, done.stderr).toBe(1); // the exit code for failed tests
}
