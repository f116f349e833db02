import { setTimeout as pause } from 'node:timers/promises';

/**
 * Batches items that arrive one by one: those that arrive while a batch is processed form the next one, so that thousands
 * cost few batches, and a single one does not wait.
 */
export type Gathered<Item> = {
  /** Resolves when the batch with this item was processed. @throws the error of its batch */
  add(item: Item): Promise<void>;
  /** Resolves when nothing is left. Never rejects. */
  flush(): Promise<void>;
};

/** @param options.maxBatch most items of a batch @param options.restMs pause between two batches */
export function createGathered<Item>(
  work: (items: readonly Item[]) => Promise<void>,
  { maxBatch = Number.POSITIVE_INFINITY, restMs = 0 }: { maxBatch?: number; restMs?: number } = {},
): Gathered<Item> {
  let waiting: { item: Item; done: PromiseWithResolvers<void> }[] = [];
  let working: Promise<void> | undefined;

  async function processDue(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      try {
        await work(batch.map(({ item }) => item));
        for (const { done } of batch) done.resolve();
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
      if (restMs > 0) await pause(restMs, undefined, { ref: false });
    }
    working = undefined;
  }

  return {
    add(item) {
      const done = Promise.withResolvers<void>();
      waiting.push({ item, done });
      working ??= processDue();
      return done.promise;
    },
    async flush() {
      await working;
    },
  };
}
