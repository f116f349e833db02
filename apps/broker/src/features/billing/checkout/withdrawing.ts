import type { Log } from '#platform/log.ts';
import type { WithdrawOrders } from './withdraw-orders.ts';

/** Withdraws orders in the background after a change of what is offered: one run at a time, and one more for what changed meanwhile. */
export function createWithdrawing(withdraw: WithdrawOrders, log: Log): { run(): void; stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;

  async function runs(): Promise<void> {
    while (isWanted) {
      isWanted = false;
      try {
        await withdraw();
      } catch (error) {
        log.warn({ err: error }, 'payment pages of what is no longer offered could not be ended; it is tried again');
      }
    }
    running = undefined;
  }

  return {
    run() {
      if (isStopped) return;
      isWanted = true;
      running ??= runs();
    },
    async stop() {
      isStopped = true;
      isWanted = false;
      await running;
    },
  };
}
