import { isInBackground } from '../background-work.ts';
import type { NestingGuard } from '../nesting-guard.ts';

/**
 * Orders the use of the only connection by arrival: single statements run freely, a transaction exclusively. Background work
 * queues only one statement or transaction at a time, so that a user waits for at most one of them.
 */
export type TurnGate = {
  statement<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
};

export function createTurnGate(guard: NestingGuard): TurnGate {
  /** Ends with the last transaction in the queue; never rejects. */
  let lastTransaction: Promise<unknown> = Promise.resolve();
  /** Ends with the last background work in the queue; never rejects. */
  let lastBackground: Promise<unknown> = Promise.resolve();

  async function statement<T>(work: () => Promise<T>): Promise<T> {
    await lastTransaction;
    return work();
  }

  function transaction<T>(work: () => Promise<T>): Promise<T> {
    const turn = lastTransaction.then(() => guard.inside(work));
    lastTransaction = turn.catch(() => {});
    return turn;
  }

  function oneByOne<T>(take: () => Promise<T>): Promise<T> {
    const turn = lastBackground.then(take);
    lastBackground = turn.catch(() => {});
    return turn;
  }

  return {
    async statement(work) {
      guard.refuseInside();
      return isInBackground() ? oneByOne(() => statement(work)) : statement(work);
    },
    async transaction(work) {
      guard.refuseInside();
      return isInBackground() ? oneByOne(() => transaction(work)) : transaction(work);
    },
  };
}
