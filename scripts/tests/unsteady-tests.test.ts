import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { problemsOf, unsteadyTests } from './unsteady-tests.ts';

const nowMs = Date.parse('2026-11-28T12:00:00Z');
const entry = { file: 'a.test.ts', name: 'holds', since: '2026-11-22', firstFailure: 'Error: no', known: 'nothing' };

test('the list may have three tests, each for seven days', () => {
  expect(problemsOf([entry, entry, entry], nowMs)).toEqual([]);
  expect(problemsOf([entry, entry, entry, entry], nowMs)).toEqual([expect.stringContaining('4 tests are listed')]);
  expect(problemsOf([{ ...entry, since: '2026-11-21' }], nowMs)).toEqual([
    'a.test.ts > holds: unsteady since 2026-11-21, at most 7 days are allowed',
  ]);
});

test('the list names existing files', () => {
  const root = join(import.meta.dirname, '../..');
  expect(unsteadyTests.filter(({ file }) => !existsSync(join(root, file)))).toEqual([]);
});
