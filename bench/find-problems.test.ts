import { expect, test } from 'vitest';
import { findProblems } from './find-problems.ts';
import type { CaseResult, TargetResult } from './measure-case.ts';

const good: TargetResult = {
  target: 'souk pglite',
  callsPerSecond: 100,
  ratio: 0.5,
  ratios: [0.5],
  p50Ms: 1,
  p99Ms: 2,
  addedP50Ms: 1,
  addedP99Ms: 1,
  cpuMsPerCall: 1,
  databaseCpuMsPerCall: undefined,
  peakMemoryMb: 100,
  calls: 100,
  callsWithWarmUp: 120,
  errors: 0,
  wrongAnswers: 0,
  firstProblem: undefined,
};

function caseWith(...targets: TargetResult[]): CaseResult {
  return { upstream: 'raw', era: 'modern', clients: 1, coreSpeed: 500, loadAverage: 0, targets };
}

test('a run whose usage rows match its correct answers, also with an access token, has no problem', () => {
  const cases = [caseWith({ ...good, target: 'direct' }, good, { ...good, target: 'souk pglite oauth' })];
  expect(findProblems(cases, { pglite: { ok: 240 } })).toEqual([]);
});

test('an error, a wrong answer, a missing usage row and a row of a failed call are each a problem', () => {
  const failed = { ...good, errors: 1, wrongAnswers: 2, firstProblem: 'HTTP 500' };
  expect(findProblems([caseWith(failed)], { pglite: { ok: 120 } })).toEqual([
    'raw, modern, 1 clients, souk pglite: 1 errors, 2 wrong answers, first: HTTP 500',
  ]);
  expect(findProblems([caseWith(good)], { pglite: { ok: 119 } })).toHaveLength(1);
  expect(findProblems([caseWith(good)], { pglite: { ok: 120, failed: 1 } })).toHaveLength(1);
});
