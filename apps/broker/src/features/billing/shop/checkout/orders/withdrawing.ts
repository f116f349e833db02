import type { Log } from '#platform/log.ts';
import { createWorkLoop } from '#platform/work/work-loop.ts';
import type { WithdrawOrders } from './withdraw-orders.ts';

/** With more who wait, all orders are looked through instead. */
const mostPeople = 1_000;

/**
 * Withdraws orders in the background: one run at a time, and one more for what changed meanwhile.
 * run: after a change of what is offered, or of what anyone owns. runFor: after a change of what one person owns.
 */
export function createWithdrawing(
  withdraw: WithdrawOrders,
  log: Log,
): { run(): void; runFor(userId: string): void; stop(): Promise<void> } {
  let isAllWanted = false;
  const people = new Set<string>();
  const loop = createWorkLoop({
    async work() {
      try {
        await once();
      } finally {
        if (people.size > 0) void loop.run();
      }
    },
    failed(error) {
      log.warn({ err: error }, 'payment pages of what can no longer be had could not be ended; it is tried again');
    },
  });

  async function once(): Promise<void> {
    if (isAllWanted) {
      isAllWanted = false;
      people.clear();
      await withdraw.all();
      return;
    }
    const [userId] = people;
    if (userId === undefined) return;
    people.delete(userId);
    await withdraw.ofPerson(userId);
  }

  function run(): void {
    isAllWanted = true;
    void loop.run();
  }

  return {
    run,
    runFor(userId) {
      if (people.size >= mostPeople) return run();
      people.add(userId);
      void loop.run();
    },
    stop: loop.stop,
  };
}
