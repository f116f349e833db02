import type { Log } from '#platform/log.ts';
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
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;
  const people = new Set<string>();

  async function once(): Promise<void> {
    if (isWanted) {
      isWanted = false;
      people.clear();
      await withdraw.all();
      return;
    }
    const [userId] = people;
    if (userId === undefined) return;
    people.delete(userId);
    await withdraw.ofPerson(userId);
  }

  async function runs(): Promise<void> {
    while (isWanted || people.size > 0) {
      try {
        await once();
      } catch (error) {
        log.warn({ err: error }, 'payment pages of what can no longer be had could not be ended; it is tried again');
      }
    }
    running = undefined;
  }

  function run(): void {
    if (isStopped) return;
    isWanted = true;
    running ??= runs();
  }

  return {
    run,
    runFor(userId) {
      if (people.size >= mostPeople) return run();
      if (isStopped) return;
      people.add(userId);
      running ??= runs();
    },
    async stop() {
      isStopped = true;
      isWanted = false;
      people.clear();
      await running;
    },
  };
}
