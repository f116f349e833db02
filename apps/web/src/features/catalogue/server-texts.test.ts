import { expect, test } from 'vitest';
import { callsOfCredits } from './home/calls-of-credits.ts';
import { counted } from '#ui/text/amount.ts';
import { callCost } from './server-texts.ts';

test("[SVC-6] A tool with a cost shows '{n} credits per call'", () => {
  expect(callCost(5)).toBe('5 credits per call');
  expect(callCost(1_200)).toBe('1,200 credits per call');
  expect(callCost(1)).toBe('1 credit per call');
});

test("[SVC-7] A tool with cost 0 shows 'Free to use'", () => {
  expect(callCost(0)).toBe('Free to use');
  expect(callCost(undefined)).toBe('Free to use');
});

test('one is singular, and large numbers are grouped', () => {
  expect(counted(1, 'tool')).toBe('1 tool');
  expect(counted(0, 'prompt')).toBe('0 prompts');
  expect(counted(1_204, 'tool')).toBe('1,204 tools');
});

test('the value of credits is shown by the cheapest calls of two services, and by none that they cannot buy', () => {
  const [travel, pro] = [
    { displayName: 'Travel', creditsFrom: 1 },
    { displayName: 'Travel Pro', creditsFrom: 3 },
  ];
  const free = { displayName: 'Memory' };
  expect(callsOfCredits([pro, free, travel], 1_000)).toBe(
    'Enough for 1,000 calls to Travel at 1 credit, or 333 to Travel Pro at 3.',
  );
  expect(callsOfCredits([pro], 3)).toBe('Enough for 1 call to Travel Pro at 3 credits.');
  expect(callsOfCredits([pro, travel], 2)).toBe('Enough for 2 calls to Travel at 1 credit.');
  expect(callsOfCredits([free], 1_000)).toBeUndefined();
  expect(callsOfCredits([travel], 0)).toBeUndefined();
});
