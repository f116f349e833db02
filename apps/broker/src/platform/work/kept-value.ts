import { elapsedTime, type Clock } from '../clock.ts';

/** Caches a value that is expensive to read, such as figures of a large table. Concurrent callers share one read. */
export type KeptValue<Value> = {
  /** Waits for a new value if the cached one is stale. */
  fresh(): Promise<Value>;
  /** Returns the cached value. If it is stale, a new one is read for later callers. */
  last(): Value;
};

/**
 * @param options.first the value until one was read
 * @param options.keptMs time after which a value is stale
 * @param options.failedMs time after a failure until the next read; the last value stays meanwhile
 */
export function createKeptValue<Value>(options: {
  read: () => Promise<Value>;
  first: Value;
  keptMs: number;
  failedMs: number;
  clock: Clock;
  onFailure: (error: unknown) => void;
}): KeptValue<Value> {
  const time = elapsedTime(options.clock);
  let value = options.first;
  let untilMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      value = await options.read();
      untilMs = time.now() + options.keptMs;
    } catch (error) {
      untilMs = time.now() + options.failedMs;
      options.onFailure(error);
    } finally {
      reading = undefined;
    }
  }

  function renew(): Promise<void> | undefined {
    if (!reading && time.now() >= untilMs) reading = read();
    return reading;
  }

  return {
    async fresh() {
      await renew();
      return value;
    },
    last() {
      void renew();
      return value;
    },
  };
}
