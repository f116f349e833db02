import { expect, test } from 'vitest';
import { callsSoFar } from './first-call.ts';

const none = { answeredToolCalls: 0, lastCallAt: null, lastClientAt: null, usageByMcp: [] };
const at = '2026-11-21T03:00:00.000Z';
const some = {
  answeredToolCalls: 3,
  lastCallAt: at,
  lastClientAt: at,
  usageByMcp: [
    { mcpId: 'travel', toolCalls: 5, answeredToolCalls: 3, lastClientAt: at },
    { mcpId: 'calendar', toolCalls: 2, answeredToolCalls: 1, lastClientAt: null },
  ],
};

test('before an answer, and before a call, nothing has come', () => {
  expect(callsSoFar(undefined, undefined)).toEqual({ state: 'none', calls: 0, clientAt: null });
  expect(callsSoFar(none, undefined)).toEqual({ state: 'none', calls: 0, clientAt: null });
});

test('any answer to a client turns the link of everything green, a prompt or a resource too', () => {
  expect(callsSoFar(some, undefined)).toEqual({ state: 'answered', calls: 3, clientAt: at });
  expect(callsSoFar({ ...none, lastCallAt: at, lastClientAt: at }, undefined)).toEqual({
    state: 'answered',
    calls: 0,
    clientAt: at,
  });
});

test('the link of one service turns green by its own answers to a client alone', () => {
  expect(callsSoFar(some, 'travel')).toEqual({ state: 'answered', calls: 3, clientAt: at });
  expect(callsSoFar(some, 'notes')).toEqual({ state: 'none', calls: 0, clientAt: null });
});

test('calls that were refused or failed, and those of this website, prove nothing', () => {
  expect(callsSoFar(some, 'calendar')).toEqual({ state: 'unproven', calls: 1, clientAt: null });
  expect(callsSoFar({ ...none, lastCallAt: at }, undefined)).toEqual({ state: 'unproven', calls: 0, clientAt: null });
});
