import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rerunFailed } from './rerun.ts';
import type { FailedTest } from './run-report.ts';
import { runStep, type Outcome } from './run-step.ts';
import { playwrightStep, vitestStep } from './steps.ts';
import { judge, type Verdict } from './verdict.ts';

const root = join(import.meta.dirname, '../..');
let folder: string;
/** Number of scratch folders, each with the tests of one run. */
let count = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'souk-reruns-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A test that fails in its first run, and passes from then on. */
const passesLater = (marker: string) => `
  if (!existsSync(${JSON.stringify(marker)})) {
    writeFileSync(${JSON.stringify(marker)}, '');
    throw new Error('the first time');
  }`;
const vitestHead = `import { existsSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';`;

test('a test that passes when it is rerun separately is unsteady, and one that fails again is failed', async () => {
  const { verdict, outcome } = await runVitest((marker) => ({
    'a.test.ts': `${vitestHead}
      test('holds', () => {});
      test.skip('waits', () => {});
      describe('a (block)', () => {
        test('[CAT-1] costs $1.50? (at first)', () => {${passesLater(marker('a'))}});
        test('[CAT-1] costs $1.50? (at first) and never holds', () => expect(1).toBe(2));
      });`,
  }));
  expect(outcome.report).toMatchObject({
    passed: 1,
    skipped: 1,
    files: [{ file: 'a.test.ts', ms: expect.any(Number) }],
  });
  expect(verdict.unsteady.map(nameOf)).toEqual(['a.test.ts > a (block) > [CAT-1] costs $1.50? (at first)']);
  expect(verdict.unsteady[0]?.message).toContain('the first time');
  expect(verdict.failed.map(nameOf)).toEqual([
    'a.test.ts > a (block) > [CAT-1] costs $1.50? (at first) and never holds',
  ]);
  expect(verdict.isGreen).toBe(false);
});

test('the whole file is rerun if a hook or an import failed, or if its tests depend on each other', async () => {
  const { verdict } = await runVitest((marker) => ({
    'hook.test.ts': `${vitestHead}
      describe('block', () => {
        beforeAll(() => {${passesLater(marker('hook'))}});
        test('begins', () => {});
      });`,
    'import.test.ts': `${vitestHead}
      ${passesLater(marker('import'))}
      test('is found', () => {});`,
    'story.test.ts': `${vitestHead}
      describe('story', { shuffle: false }, () => {
        let bought = false;
        test('buys', () => { bought = true; });
        test('uses', () => {${passesLater(marker('story'))}
          expect(bought).toBe(true);
        });
      });`,
  }));
  expect(verdict.unsteady.map(nameOf).sort()).toEqual([
    'hook.test.ts',
    'import.test.ts',
    'story.test.ts > story > uses',
  ]);
  expect(verdict).toMatchObject({ isGreen: true, failed: [], problems: [] });
});

test('invariants of money, random sequences and unhandled rejections are never tolerated', async () => {
  const { verdict } = await runVitest((marker) => ({
    'money.test.ts': `${vitestHead}
      test('[I2] no double charge', () => {${passesLater(marker('money'))}});
      test('[chaos] adds up', () => {${passesLater(marker('chaos'))}});`,
    'drawn.test.ts': `${vitestHead}
      import { assert, integer, property } from 'fast-check';
      test('any sequence', () => assert(property(integer(), () => {${passesLater(marker('drawn'))}})));`,
    'rejection.test.ts': `${vitestHead}
      test('leaves a rejection behind', () => void Promise.reject(new Error('unheard')));`,
  }));
  expect(verdict.failed.map(nameOf).sort()).toEqual([
    'drawn.test.ts > any sequence',
    'money.test.ts > [I2] no double charge',
    'money.test.ts > [chaos] adds up',
  ]);
  expect(verdict.unsteady).toEqual([]);
  expect(verdict.problems).toEqual([expect.stringMatching(/^run: error outside all tests: Error: unheard/)]);
});

test('a fourth unsteady test makes the run red', async () => {
  const { verdict } = await runVitest((marker) => ({
    'four.test.ts': `${vitestHead}
      test.each(['1', '2', '3', '4'])('part %s', (part) => {
        const marker = ${JSON.stringify(marker('part-'))} + part;
        if (!existsSync(marker)) {
          writeFileSync(marker, '');
          throw new Error('the first time');
        }
      });`,
  }));
  expect(verdict.unsteady).toHaveLength(4);
  expect(verdict).toMatchObject({ isGreen: false, failed: [], problems: ['4 tests are unsteady, at most 3 may be'] });
});

test('a journey is rerun too, and a file that cannot be imported is not an unsteady test', async () => {
  const head = `import { existsSync, writeFileSync } from 'node:fs';
    import { expect, test } from '@playwright/test';`;
  const { verdict, outcome } = await runPlaywright((marker) => ({
    'journeys/a.spec.ts': `${head}
      test('holds', () => {});
      test.skip('waits', () => {});
      test.describe('a (block)', () => {
        test('[CAT-1] costs $1.50? (at first)', () => {${passesLater(marker('a'))}});
        test('never holds', () => expect(1).toBe(2));
      });`,
  }));
  expect(outcome.report).toMatchObject({ passed: 1, skipped: 1, files: [{ file: 'journeys/a.spec.ts' }] });
  expect(verdict.unsteady.map(nameOf)).toEqual(['journeys/a.spec.ts > a (block) > [CAT-1] costs $1.50? (at first)']);
  expect(verdict.failed.map(nameOf)).toEqual(['journeys/a.spec.ts > a (block) > never holds']);

  const unreadable = await runPlaywright(() => ({ 'journeys/b.spec.ts': `import './nowhere.ts';` }));
  expect(unreadable.verdict).toMatchObject({ isGreen: false, failed: [], unsteady: [] });
  expect(unreadable.verdict.problems).toContainEqual(expect.stringMatching(/nowhere\.ts/));
});

test('a step whose runner ends without a report is red', () => {
  const step = { name: 'unit', ok: false, report: undefined };
  expect(judge([step], () => true)).toMatchObject({
    isGreen: false,
    problems: ['unit: the runner ended without a report, see its output above'],
  });
});

type Files = (marker: (name: string) => string) => Record<string, string>;

function runVitest(files: Files): Promise<{ outcome: Outcome; verdict: Verdict }> {
  const scratch = scratchFolder();
  // excludes the tests of scripts/, which are linked there
  writeFileSync(join(scratch, 'vitest.config.ts'), `export default { test: { name: 'run', include: ['*.test.ts'] } };`);
  return run(scratch, vitestStep('run', ['--project', 'run']), files);
}

function runPlaywright(files: Files): Promise<{ outcome: Outcome; verdict: Verdict }> {
  const scratch = scratchFolder();
  writeFileSync(join(scratch, 'playwright.config.ts'), `export default { testDir: 'journeys' };`);
  return run(scratch, playwrightStep('browser', []), files);
}

function scratchFolder(): string {
  const scratch = join(folder, String(count++));
  mkdirSync(scratch);
  for (const name of ['node_modules', 'scripts']) symlinkSync(join(root, name), join(scratch, name));
  writeFileSync(join(scratch, 'package.json'), '{"type":"module"}');
  return scratch;
}

/** Runs one step like `npm test`, in a separate folder. */
async function run(scratch: string, step: ReturnType<typeof vitestStep>, files: Files) {
  const marker = (name: string) => join(scratch, `${name}.marker`);
  for (const [name, text] of Object.entries(files(marker))) {
    mkdirSync(join(scratch, name, '..'), { recursive: true });
    writeFileSync(join(scratch, name), text);
  }
  const reports = join(scratch, 'reports');
  mkdirSync(reports);
  const outcome = await runStep(step, { root: scratch, reports, shown: 'never' });
  const passed = await rerunFailed([outcome], { root: scratch, reports, shown: 'never' });
  return { outcome, verdict: judge([outcome], (failure) => passed.has(failure)) };
}

function nameOf({ file, names }: FailedTest): string {
  return [file, ...names].join(' > ');
}
