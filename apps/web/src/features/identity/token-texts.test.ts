import { ApiError } from '@souk/contract/client.ts';
import { expect, test } from 'vitest';
import { checkTokenWish, describeFailure, formatDistance } from './token-texts.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const at = (ms: number) => new Date(now + ms).toISOString();
const minuteMs = 60_000;
const dayMs = 86_400_000;

test('a distance is said in the largest unit that a person would choose', () => {
  expect(formatDistance(at(-20_000), now)).toBe('just now');
  expect(formatDistance(at(-5 * minuteMs), now)).toBe('5 minutes ago');
  expect(formatDistance(at(-3 * 60 * minuteMs), now)).toBe('3 hours ago');
  expect(formatDistance(at(90 * dayMs - 500), now)).toBe('in 90 days');
  expect(formatDistance(at(366 * dayMs), now)).toBe('in 366 days');
  expect(formatDistance(at(20_000), now)).toBe('in a moment');
});

test('a form says every field that is wrong', () => {
  expect(checkTokenWish({ name: '  ', scopes: [] })).toEqual({
    name: 'Give the token a name.',
    scopes: 'Choose at least one.',
  });
  expect(checkTokenWish({ name: 'x'.repeat(81), scopes: ['mcp:tools'] })).toEqual({
    name: 'At most 80 characters: these are 81.',
  });
  expect(checkTokenWish({ name: 'ok', scopes: ['mcp:tools'] })).toEqual({});
});

test("a failed call shows the specification's text, and the reason where there is another", () => {
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
