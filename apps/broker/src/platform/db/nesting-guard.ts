import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Finds the statement that waits for its own transaction: beside it, while it is open, from inside it. On one connection that
 * hangs for ever; on a pool it works until as many transactions as connections do it at once. So both engines refuse it.
 */
export type NestingGuard = {
  /** Runs a transaction. */
  inside<T>(work: () => Promise<T>): Promise<T>;
  /** @throws when called from inside an open transaction */
  refuseInside(): void;
};

export function createNestingGuard(): NestingGuard {
  const transactions = new AsyncLocalStorage<{ open: boolean }>();
  return {
    async inside(work) {
      const state = { open: true };
      try {
        return await transactions.run(state, work);
      } finally {
        state.open = false; // what the transaction started and left behind may use the database again
      }
    },
    refuseInside() {
      if (!transactions.getStore()?.open) return;
      throw new Error('the database was used beside an open transaction from inside it: use the query that it gives');
    },
  };
}
