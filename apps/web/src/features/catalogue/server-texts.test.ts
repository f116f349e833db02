import { expect, test } from 'vitest';
import { callCost, counted } from './server-texts.ts';

test("[SVC-6] A tool with a cost shows '{n} credits per call'", () => {
  expect(callCost(5)).toBe('5 credits per call');
  expect(callCost(1_200)).toBe('1,200 credits per call');
  expect(callCost(1)).toBe('1 credit per call');
});

test("[SVC-7] A tool with cost 0 shows 'Free to use'", () => {
  expect(callCost(0)).toBe('Free to use');
  expect(callCost(undefined)).toBe('Free to use');
});

test('one is one, and many are grouped', () => {
  expect(counted(1, 'tool')).toBe('1 tool');
  expect(counted(0, 'prompt')).toBe('0 prompts');
  expect(counted(1_204, 'tool')).toBe('1,204 tools');
});
