import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Who may use the one connection: single statements follow each other freely, a transaction has it alone, first come first
 * served.
 */
export type TurnGate = {
  statement<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
};

export function createTurnGate(): TurnGate {
  /** Ends with the last transaction in the queue; never rejects. */
  let lastTransaction: Promise<unknown> = Promise.resolve();
  const inside = new AsyncLocalStorage<{ open: boolean }>();

  // Waiting inside a transaction for the transaction's end would hang for ever on one connection (and hide on a pool).
  const refuseInside = () => {
    if (inside.getStore()?.open) {
      throw new Error('db.query and db.transaction must not be used inside a transaction: use the query that it gives');
    }
  };
  return {
    async statement(work) {
      refuseInside();
      await lastTransaction;
      return work();
    },
    async transaction(work) {
      refuseInside();
      const state = { open: true };
      const turn = lastTransaction.then(() => inside.run(state, work)).finally(() => (state.open = false));
      lastTransaction = turn.catch(() => {});
      return turn;
    },
  };
}
