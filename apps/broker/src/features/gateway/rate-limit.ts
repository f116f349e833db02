import type { Clock } from '#platform/clock.ts';

const windowMs = 60_000;
const sweepAboveKeys = 10_000;

/** How much of something each key may have in a minute. */
export type RateLimit = {
  /** Takes so many, or none when that would be too many; a `count` above the limit takes all that there is. */
  take(key: string, count?: number): boolean;
  /** How long until `take` would answer true; 0 when it would now. */
  waitMs(key: string, count?: number): number;
};

/** At most `max` a key in any minute, counted in a bucket that refills evenly. In memory: each replica counts its own. */
export function createRateLimit(max: number, clock: Clock): RateLimit {
  const buckets = new Map<string, { left: number; atMs: number }>();
  const refill = (bucket: { left: number; atMs: number }, nowMs: number) => {
    bucket.left = Math.min(max, bucket.left + ((nowMs - bucket.atMs) / windowMs) * max);
    bucket.atMs = nowMs;
  };
  return {
    take(key, count = 1) {
      const nowMs = clock.now();
      const bucket = buckets.get(key) ?? { left: max, atMs: nowMs };
      refill(bucket, nowMs);
      if (buckets.size > sweepAboveKeys) {
        // Full buckets say nothing: forgetting them changes no answer.
        for (const [other, state] of buckets) if (nowMs - state.atMs > windowMs) buckets.delete(other);
      }
      buckets.set(key, bucket);
      const wanted = Math.min(count, max);
      if (bucket.left < wanted) return false;
      bucket.left -= wanted;
      return true;
    },
    waitMs(key, count = 1) {
      const bucket = buckets.get(key);
      if (!bucket) return 0;
      refill(bucket, clock.now());
      return Math.max(0, ((Math.min(count, max) - bucket.left) / max) * windowMs);
    },
  };
}
