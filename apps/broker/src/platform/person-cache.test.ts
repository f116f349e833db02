import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPersonCache } from './person-cache.ts';

// its time is stopped at 0
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** A cache of how often each user was read. */
function startCache() {
  let nowMs = 0;
  let unheardMs = 0;
  const reads = new Map<string, number>();
  const cache = createPersonCache(
    (userId) => {
      const count = (reads.get(userId) ?? 0) + 1;
      reads.set(userId, count);
      return Promise.resolve(count);
    },
    { now: () => nowMs },
    { deliveredUntilMs: () => -unheardMs },
  );
  return {
    cache,
    pass: (ms: number) => (nowMs += ms),
    /** Time for which no notices have come. */
    hearNothingFor: (ms: number) => (unheardMs = ms),
  };
}

test('a user is read again after a minute, and immediately after a notice', async () => {
  const { cache, pass } = startCache();
  expect(await cache.get('ann')).toBe(1);
  pass(59_999);
  expect(cache.get('ann')).toBe(1);
  pass(1);
  expect(await cache.get('ann')).toBe(2);
  cache.forget('bob');
  expect(cache.get('ann')).toBe(2);
  cache.forget('ann');
  expect(await cache.get('ann')).toBe(3);
  cache.forget(undefined);
  expect(await cache.get('ann')).toBe(4);
});

test('while no notices come, a user is read again after five seconds', async () => {
  const { cache, pass, hearNothingFor } = startCache();
  expect(await cache.get('ann')).toBe(1);
  pass(5_000);
  hearNothingFor(4_000);
  expect(cache.get('ann')).toBe(1);
  hearNothingFor(5_001);
  expect(await cache.get('ann')).toBe(2);
  pass(4_999);
  expect(cache.get('ann')).toBe(2);
  pass(1);
  expect(await cache.get('ann')).toBe(3);
});
