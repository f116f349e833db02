import { expect, test } from 'vitest';
import { changeTest, noTest, type TestAction } from './test-state.ts';

const after = (...actions: TestAction[]) => actions.reduce(changeTest, noTest);
const begun: TestAction[] = [
  { type: 'asked' },
  { type: 'started', testId: '0191f2a0-0000-7000-8000-000000000000', steps: ['manifest', 'resolve', 'connect'] },
  { type: 'step', step: 'manifest', result: 'passed', text: 'travel 1.0.0', ms: 1 },
  { type: 'working', step: 'resolve' },
];

test('the steps of a test fill as they happen, and those that were not reached say so at its end', () => {
  const statuses = (state: ReturnType<typeof after>) => state.steps.map(({ status }) => status);
  expect(statuses(after(...begun))).toEqual(['passed', 'working', 'waiting']);
  const end: TestAction = { type: 'end', result: 'failed', text: 'No such name.', ms: 20 };
  const failed: TestAction = { type: 'step', step: 'resolve', result: 'failed', text: 'No such name.', ms: 9 };
  expect(statuses(after(...begun, failed, end))).toEqual(['passed', 'failed', 'not-reached']);
});

test('a test whose stream ends without an end says so, and one that had its end says nothing more', () => {
  const cut = after(...begun, { type: 'stream ended', failure: undefined });
  expect(cut).toMatchObject({ isRunning: false, failure: 'The connection to the broker ended before the test did.' });
  const end: TestAction = { type: 'end', result: 'passed', text: 'A deployment would work.', ms: 20 };
  const whole = after(...begun, end, { type: 'stream ended', failure: undefined });
  expect(whole).toMatchObject({ isRunning: false, end: { result: 'passed' } });
  expect(whole.failure).toBeUndefined();
});

test('a refused test shows why, and the next one starts again', () => {
  const refused = after(
    { type: 'asked' },
    { type: 'stream ended', failure: 'You are already running a connection test.' },
  );
  expect(refused).toMatchObject({ isRunning: false, failure: 'You are already running a connection test.' });
  expect(changeTest(refused, { type: 'asked' })).toEqual({ isRunning: true, steps: [] });
});
