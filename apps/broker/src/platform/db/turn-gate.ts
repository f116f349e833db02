import type { NestingGuard } from './nesting-guard.ts';

/**
 * Decides who may use the one connection, in the order of arrival: single statements follow each other freely, a transaction
 * has it exclusively.
 */
export type TurnGate = {
  statement<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
};

export function createTurnGate(guard: NestingGuard): TurnGate {
  /** Ends with the last transaction in the queue; never rejects. */
  let lastTransaction: Promise<unknown> = Promise.resolve();
  return {
    async statement(work) {
      guard.refuseInside();
      await lastTransaction;
      return work();
    },
    async transaction(work) {
      guard.refuseInside();
      const turn = lastTransaction.then(() => guard.inside(work));
      lastTransaction = turn.catch(() => {});
      return turn;
    },
  };
}
