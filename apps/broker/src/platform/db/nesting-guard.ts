import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Refuses a statement that would wait for its own transaction, because it is sent from inside but not through it. On one
 * connection it would wait forever; on a pool it works until as many transactions as connections do it concurrently.
 */
export type NestingGuard = {
  inside<T>(work: () => Promise<T>): Promise<T>;
  /** @throws Error if called from inside an open transaction */
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
        state.open = false; // work that the transaction started may now use the database
      }
    },
    refuseInside() {
      if (!transactions.getStore()?.open) return;
      throw new Error(
        'a transaction used the database outside itself: use the query function that the transaction provides',
      );
    },
  };
}
