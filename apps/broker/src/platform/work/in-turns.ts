import { setImmediate as nextTurn } from 'node:timers/promises';

/** After this time others have their turn of the event loop. */
const turnMs = 5;

/** Does some work for each of many items, of which a hostile server can make each costly, without blocking the event loop. */
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
