import type { Clock } from '#platform/clock.ts';

const windowMs = 60_000;
const sweepAboveKeys = 10_000;

/** At most `max` uses a key in any minute, counted in a bucket that refills evenly. In memory: each replica counts its own. */
export function createRateLimit(
  max: number,
  clock: Clock,
): {
  take(key: string): boolean;
  /** How long until `take` would answer true; 0 when it would now. */
  waitMs(key: string): number;
} {
  const buckets = new Map<string, { left: number; atMs: number }>();
  const refill = (bucket: { left: number; atMs: number }, nowMs: number) => {
    bucket.left = Math.min(max, bucket.left + ((nowMs - bucket.atMs) / windowMs) * max);
    bucket.atMs = nowMs;
  };
  return {
    take(key) {
      const nowMs = clock.now();
      const bucket = buckets.get(key) ?? { left: max, atMs: nowMs };
      refill(bucket, nowMs);
      if (buckets.size > sweepAboveKeys) {
        // Full buckets say nothing: forgetting them changes no answer.
        for (const [other, state] of buckets) if (nowMs - state.atMs > windowMs) buckets.delete(other);
      }
      buckets.set(key, bucket);
      if (bucket.left < 1) return false;
      bucket.left -= 1;
      return true;
    },
    waitMs(key) {
      const bucket = buckets.get(key);
      if (!bucket) return 0;
      refill(bucket, clock.now());
      return Math.max(0, ((1 - bucket.left) / max) * windowMs);
    },
  };
}
