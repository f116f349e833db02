import { expect, test } from 'vitest';
import { callsSoFar } from './first-call.ts';

const none = { answeredToolCalls: 0, lastCallAt: null, lastAnsweredAt: null, usageByMcp: [] };
const at = '2026-11-21T03:00:00.000Z';
const some = {
  answeredToolCalls: 3,
  lastCallAt: at,
  lastAnsweredAt: at,
  usageByMcp: [
    { mcpId: 'travel', toolCalls: 5, answeredToolCalls: 3 },
    { mcpId: 'calendar', toolCalls: 2, answeredToolCalls: 0 },
  ],
};

test('before an answer, and before a call, nothing has come', () => {
  expect(callsSoFar(undefined, undefined)).toEqual({ state: 'none', calls: 0 });
  expect(callsSoFar(none, undefined)).toEqual({ state: 'none', calls: 0 });
});

test('any answered call turns the link of everything green, a prompt or a resource too', () => {
  expect(callsSoFar(some, undefined)).toEqual({ state: 'answered', calls: 3 });
  expect(callsSoFar({ ...none, lastCallAt: at, lastAnsweredAt: at }, undefined)).toEqual({
    state: 'answered',
    calls: 0,
  });
});

test('the link of one service turns green by its own answered calls alone', () => {
  expect(callsSoFar(some, 'travel')).toEqual({ state: 'answered', calls: 3 });
  expect(callsSoFar(some, 'notes')).toEqual({ state: 'none', calls: 0 });
});

test('calls that were refused or failed prove nothing', () => {
  expect(callsSoFar(some, 'calendar')).toEqual({ state: 'unanswered', calls: 0 });
  expect(callsSoFar({ ...none, lastCallAt: at }, undefined)).toEqual({ state: 'unanswered', calls: 0 });
});
