import { elapsedTime, type Clock } from './clock.ts';
import { oneBroker, type LiveBrokers } from './db/share-of.ts';

const minuteMs = 60_000;
/** Bounds memory: in a flood of keys, the oldest bucket is dropped, and its key starts over. */
const maxKeys = 10_000;

/** How much each key may take in a window of time. */
export type RateLimit = {
  /** Takes `count`, or nothing if that is too much. A `count` above the limit needs a full bucket. */
  take(key: string, count?: number): boolean;
  /** Undoes a `take` of one. */
  undoTake(key: string): void;
  /** Milliseconds until `take` would succeed; 0 if it would now. */
  waitMs(key: string, count?: number): number;
};

type Bucket = { left: number; atMs: number };

/**
 * Allows `max` per key, in a bucket that refills evenly over `windowMs`. Counts in memory: each broker allows its share of
 * what all brokers allow together, at least 1. Group keys that strangers choose, such as addresses, by `addressGroup` first.
 * @param brokers by default this one alone, for limits of each broker
 */
export function createRateLimit(
  max: number,
  clock: Clock,
  windowMs = minuteMs,
  brokers: Pick<LiveBrokers, 'count'> = oneBroker,
): RateLimit {
  const time = elapsedTime(clock);
  const share = () => Math.max(1, max / brokers.count());
  const buckets = new Map<string, Bucket>();

  function refill(bucket: Bucket): void {
    const nowMs = time.now();
    const elapsedMs = Math.max(0, nowMs - bucket.atMs);
    const most = share();
    bucket.left = Math.min(most, bucket.left + (elapsedMs / windowMs) * most);
    bucket.atMs = nowMs;
  }

  function bucketOf(key: string): Bucket {
    const known = buckets.get(key);
    if (known) {
      refill(known);
      return known;
    }
    const [oldest] = buckets.size >= maxKeys ? buckets.keys() : [];
    if (oldest !== undefined) buckets.delete(oldest);
    const bucket = { left: share(), atMs: time.now() };
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    take(key, count = 1) {
      const bucket = bucketOf(key);
      const wanted = Math.min(count, share());
      if (bucket.left < wanted) return false;
      bucket.left -= wanted;
      return true;
    },
    undoTake(key) {
      const bucket = bucketOf(key);
      bucket.left = Math.min(share(), bucket.left + 1);
    },
    waitMs(key, count = 1) {
      const bucket = buckets.get(key);
      if (!bucket) return 0;
      refill(bucket);
      const most = share();
      return Math.max(0, ((Math.min(count, most) - bucket.left) / most) * windowMs);
    },
  };
}
