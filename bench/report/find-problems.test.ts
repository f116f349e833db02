import { expect, test } from 'vitest';
import { findProblems } from './find-problems.ts';
import { caseWith, goodResult as good } from '../testing/case-result.ts';

test('a run whose usage rows match its correct results, also with an access token, has no problem', () => {
  const cases = [caseWith({ ...good, target: 'direct' }, good, { ...good, target: 'souk pglite oauth' })];
  expect(findProblems(cases, { pglite: { ok: 240 } })).toEqual([]);
});

test('an error, a wrong result, a missing usage row and a row of a failed call are each a problem', () => {
  const failed = { ...good, errors: 1, wrongAnswers: 2, firstProblem: 'HTTP 500' };
  expect(findProblems([caseWith(failed)], { pglite: { ok: 120 } })).toEqual([
    'raw, modern, 1 clients, souk pglite: 1 errors, 2 wrong answers, first: HTTP 500',
  ]);
  expect(findProblems([caseWith(good)], { pglite: { ok: 119 } })).toHaveLength(1);
  expect(findProblems([caseWith(good)], { pglite: { ok: 120, failed: 1 } })).toHaveLength(1);
});
