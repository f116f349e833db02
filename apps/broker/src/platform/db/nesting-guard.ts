import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Finds a statement that would wait for its own transaction: sent from inside it, but not through it. On one connection it
 * waits without end; on a pool it works until as many transactions as connections do it at once. So both engines refuse it.
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
        state.open = false; // work that the transaction has started may use the database again
      }
    },
    refuseInside() {
      if (!transactions.getStore()?.open) return;
      throw new Error(
        'the database was used beside an open transaction from inside it: use the query that the transaction gives',
      );
    },
  };
}
