import type { Log } from '#platform/log.ts';
import { createWorkLoop } from '#platform/work/work-loop.ts';
import type { WithdrawOrders } from './withdraw-orders.ts';

/** Waiting users above which all orders are checked instead. */
const maxUsers = 1_000;

/**
 * Withdraws orders in the background: one run at a time, and one more for changes during that run.
 * run: after a change of what is offered, or of what any user owns. runFor: after a change of what one user owns.
 */
export function createWithdrawing(
  withdraw: WithdrawOrders,
  log: Log,
): { run(): void; runFor(userId: string): void; stop(): Promise<void> } {
  let isAllWanted = false;
  const userIds = new Set<string>();
  const loop = createWorkLoop({
    async work() {
      try {
        await once();
      } finally {
        if (userIds.size > 0) void loop.run();
      }
    },
    failed(error) {
      log.warn(
        { err: error },
        'payment pages of items that are no longer available could not be ended; they will be retried',
      );
    },
  });

  async function once(): Promise<void> {
    if (isAllWanted) {
      isAllWanted = false;
      userIds.clear();
      await withdraw.all();
      return;
    }
    const [userId] = userIds;
    if (userId === undefined) return;
    userIds.delete(userId);
    await withdraw.ofPerson(userId);
  }

  function run(): void {
    isAllWanted = true;
    void loop.run();
  }

  return {
    run,
    runFor(userId) {
      if (userIds.size >= maxUsers) return run();
      userIds.add(userId);
      void loop.run();
    },
    stop: loop.stop,
  };
}
