import { beforeEach, expect, test } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

let nowMs = 0;
const clock = { now: () => nowMs };
beforeEach(() => {
  nowMs = 0;
});

test('each key has an amount per minute, which refills evenly', () => {
  const limit = createRateLimit(3, clock);
  expect([1, 2, 3, 4].map(() => limit.take('one'))).toEqual([true, true, true, false]);
  expect(limit.take('another')).toBe(true);
  expect(limit.waitMs('one')).toBe(20_000);
  nowMs += 20_000;
  expect([1, 2].map(() => limit.take('one'))).toEqual([true, false]);
  nowMs += 60_000;
  expect([1, 2, 3, 4].map(() => limit.take('one'))).toEqual([true, true, true, false]);
});

test('a count is taken completely or not at all; a count above the limit takes all that is available', () => {
  const limit = createRateLimit(3, clock);
  expect(limit.take('one', 2)).toBe(true);
  expect(limit.take('one', 2)).toBe(false);
  expect(limit.take('one', 1)).toBe(true);
  nowMs += 60_000;
  expect(limit.take('one', 10)).toBe(true);
  expect(limit.take('one')).toBe(false);
});

test('once in ten seconds is once in ten seconds', () => {
  const limit = createRateLimit(1, clock, 10_000);
  expect(limit.take('one')).toBe(true);
  nowMs += 9_999;
  expect(limit.take('one')).toBe(false);
  nowMs += 1;
  expect(limit.take('one')).toBe(true);
});

test('a flood of keys does not grow memory without limit, and the newest are counted', () => {
  const limit = createRateLimit(1, clock);
  for (let n = 0; n < 30_000; n++) expect(limit.take(`address ${n}`)).toBe(true);
  expect(limit.take('address 29999')).toBe(false);
  expect(limit.take('address 0'), 'the oldest was dropped').toBe(true);
});

test('setting the clock back removes nothing', () => {
  nowMs = 3_600_000;
  const limit = createRateLimit(2, clock);
  expect(limit.take('one')).toBe(true);
  nowMs = 0;
  expect(limit.take('one')).toBe(true);
  expect(limit.take('one')).toBe(false);
  expect(limit.waitMs('one')).toBe(30_000);
});
