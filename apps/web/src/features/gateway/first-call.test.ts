import { expect, test } from 'vitest';
import { callsSoFar } from './first-call.ts';

const none = { totalToolCalls: 0, lastCallAt: null, usageByMcp: [] };
const some = {
  totalToolCalls: 3,
  lastCallAt: '2026-11-21T03:00:00.000Z',
  usageByMcp: [{ mcpId: 'travel', toolCalls: 3 }],
};

test('before an answer, and before a call, nothing has come', () => {
  expect(callsSoFar(undefined, undefined)).toEqual({ came: false, calls: 0 });
  expect(callsSoFar(none, undefined)).toEqual({ came: false, calls: 0 });
});

test('any call turns the link of everything green, a prompt or a resource too', () => {
  expect(callsSoFar(some, undefined)).toEqual({ came: true, calls: 3 });
  expect(callsSoFar({ ...none, lastCallAt: some.lastCallAt }, undefined)).toEqual({ came: true, calls: 0 });
});

test('the link of one service turns green by its own calls alone', () => {
  expect(callsSoFar(some, 'travel')).toEqual({ came: true, calls: 3 });
  expect(callsSoFar(some, 'notes')).toEqual({ came: false, calls: 0 });
});
