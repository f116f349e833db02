import type { NestingGuard } from './nesting-guard.ts';

/**
 * Who may use the one connection: single statements follow each other freely, a transaction has it alone, first come first
 * served.
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
