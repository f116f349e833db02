import { elapsedTime, type Clock } from '../clock.ts';

/** A value that costs much to read, such as figures of a large table: it is read once for everyone who asks meanwhile. */
export type KeptValue<Value> = {
  /** Waits for a newer value where the last one is old. */
  fresh(): Promise<Value>;
  /** Never waits. Where the last value is old, a newer one is read for those who ask later. */
  last(): Value;
};

/**
 * @param options.first what holds until a value was read
 * @param options.keptMs how long a value is new
 * @param options.failedMs how long after a failure nothing is read; the last value holds meanwhile
 * @param options.onFailure called once for each reading that failed
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
