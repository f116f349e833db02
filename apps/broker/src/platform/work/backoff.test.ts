import { expect, test } from 'vitest';
import { Backoff } from './backoff.ts';

test('the wait doubles from 1 s to 30, and starts again after a stream that lasted', () => {
  let nowMs = 0;
  const backoff = new Backoff(() => nowMs);
  const next = (wantedMs?: number) => {
    const waitMs = backoff.next(wantedMs);
    nowMs += waitMs;
    return waitMs;
  };
  expect([next(), next(), next(), next(), next(), next(), next()]).toEqual([
    1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
  nowMs += 29_000;
  expect(next()).toBe(30_000);
  nowMs += 31_000;
  expect(next()).toBe(1000);
});

test('a server may ask for a longer wait, not for a shorter or an endless one', () => {
  expect(new Backoff().next(10)).toBe(1000);
  expect(new Backoff().next(5000)).toBe(5000);
  expect(new Backoff().next(999_999_999)).toBe(30_000);
});
