import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time after which other work gets a turn of the event loop. */
const turnMs = 5;

/** Runs work for each of many items, any of which a hostile server can make costly, without blocking the event loop. */
export async function eachInTurns<Item>(items: readonly Item[], work: (item: Item) => void): Promise<void> {
  let since = performance.now();
  for (const item of items) {
    if (performance.now() - since > turnMs) {
      await nextTurn();
      since = performance.now();
    }
    work(item);
  }
}
