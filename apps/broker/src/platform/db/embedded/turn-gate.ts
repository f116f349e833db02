import { isInBackground } from '../background-work.ts';
import type { NestingGuard } from '../nesting-guard.ts';

/**
 * Decides who may use the one connection, in the order of arrival: single statements follow each other freely, a transaction
 * has it exclusively. Of the work in the background one statement or transaction at a time takes its place in that order,
 * so that a person waits for one of them at most.
 */
export type TurnGate = {
  statement<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
};

export function createTurnGate(guard: NestingGuard): TurnGate {
  /** Ends with the last transaction in the queue; never rejects. */
  let lastTransaction: Promise<unknown> = Promise.resolve();
  /** The same of all work in the background. */
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
