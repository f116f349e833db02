import { expect, test } from 'vitest';
import { formatDistance } from './distance.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const at = (ms: number) => new Date(now + ms).toISOString();
const minuteMs = 60_000;
const dayMs = 86_400_000;

test('a distance is shown in the largest natural unit', () => {
  expect(formatDistance(at(-20_000), now)).toBe('just now');
  expect(formatDistance(at(-5 * minuteMs), now)).toBe('5 minutes ago');
  expect(formatDistance(at(-3 * 60 * minuteMs), now)).toBe('3 hours ago');
  expect(formatDistance(at(90 * dayMs - 500), now)).toBe('in 90 days');
  expect(formatDistance(at(366 * dayMs), now)).toBe('in 366 days');
  expect(formatDistance(at(20_000), now)).toBe('in a moment');
});
