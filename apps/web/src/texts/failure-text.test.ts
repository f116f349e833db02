import { ApiError } from '@souk/contract/client.ts';
import { expect, test } from 'vitest';
import { describeFailure, failureLine } from './failure-text.ts';

test("a failed call shows the specification's text, and the reason if there is another", () => {
  const text = 'Failed to fetch PATs';
  const failed = (message: string) => new ApiError({ message, code: 'any' });
  expect(describeFailure(text, failed(text))).toEqual({ title: text, reason: undefined });
  expect(describeFailure(text, failed('Network error occurred'))).toEqual({
    title: text,
    reason: 'Network error occurred',
  });
  expect(describeFailure(text, new Error('of the program'))).toEqual({
    title: text,
    reason: 'An unexpected error occurred',
  });
});

test('on one line the reason follows the text of the call', () => {
  const failed = (message: string) => new ApiError({ message, code: 'any' });
  expect(failureLine('Failed to disconnect', failed('Network error occurred'))).toBe(
    'Failed to disconnect: Network error occurred',
  );
  expect(failureLine('Failed to disconnect', failed('Failed to disconnect'))).toBe('Failed to disconnect');
});
