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

test('without an answer, and before a call, nothing is counted', () => {
  expect(callsSoFar(undefined, undefined)).toEqual({ state: 'none', calls: 0, clientAt: null });
  expect(callsSoFar(none, undefined)).toEqual({ state: 'none', calls: 0, clientAt: null });
});

test('any answer to a client turns the all-servers link green, also a prompt or a resource', () => {
  expect(callsSoFar(some, undefined)).toEqual({ state: 'answered', calls: 3, clientAt: at });
  expect(callsSoFar({ ...none, lastCallAt: at, lastClientAt: at }, undefined)).toEqual({
    state: 'answered',
    calls: 0,
    clientAt: at,
  });
});

test('the link of one service turns green only by its own answers to a client', () => {
  expect(callsSoFar(some, 'travel')).toEqual({ state: 'answered', calls: 3, clientAt: at });
  expect(callsSoFar(some, 'notes')).toEqual({ state: 'none', calls: 0, clientAt: null });
});

test('refused or failed calls, and those of this website, do not count', () => {
  expect(callsSoFar(some, 'calendar')).toEqual({ state: 'unproven', calls: 1, clientAt: null });
  expect(callsSoFar({ ...none, lastCallAt: at }, undefined)).toEqual({ state: 'unproven', calls: 0, clientAt: null });
});
