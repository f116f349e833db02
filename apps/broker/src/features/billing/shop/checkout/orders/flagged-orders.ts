import type { FulfilGiven } from '../outcome/fulfilment.ts';
import { keyOf, type Order } from './order.ts';
import { decideOrder, listDecided } from './order-store.ts';
import type { ReturnPayment } from '../outcome/return-payment.ts';

const dayMs = 24 * 60 * 60_000;
/** So long an operator has to decide. */
export const returnedAfterMs = 7 * dayMs;
const pageSize = 100;
const longAgo = new Date(0);

/** Payments that an operator has to look at. */
export type FlaggedOrders = {
  /** The oldest first, at most 100. */
  list(): Promise<Order[]>;
  /**
   * The operator's decision: `return` gives the money back now, `close` leaves it as they have dealt with it.
   * @returns the order as it is then; undefined where there is no flagged one with this id
   * @throws SoukError payments_unavailable: it is then given back by the next run
   */
  decide(id: string, decision: 'return' | 'close'): Promise<Order | undefined>;
  /** Gives back those that nobody has decided about for a week. */
  returnOld(): Promise<number>;
};

export function createFlaggedOrders({
  db,
  provider,
  clock,
  returnPayment,
}: Pick<FulfilGiven, 'db' | 'provider' | 'clock'> & { returnPayment: ReturnPayment }): FlaggedOrders {
  const { livemode } = provider;
  const flagged = (before: Date) =>
    listDecided(db.query, livemode, { statuses: ['flagged'], after: longAgo, before, limit: pageSize });

  async function giveBack(order: Order): Promise<Order | undefined> {
    const at = new Date(clock.now());
    if (!(await decideOrder(db.query, order.id, ['flagged'], { status: 'returning', at }))) return undefined;
    return returnPayment({ ...order, status: 'returning' });
  }

  function close(order: Order): Promise<boolean> {
    return db.transaction(async (query) => {
      if (!(await decideOrder(query, order.id, ['flagged'], { status: 'closed', at: new Date(clock.now()) })))
        return false;
      await query(`update transactions set status = 'completed' where idem = $1 and status = 'pending'`, [
        keyOf(order),
      ]);
      return true;
    });
  }

  return {
    list: () => flagged(new Date(clock.now())),
    async decide(id, decision) {
      const order = (await flagged(new Date(clock.now()))).find((one) => one.id === id);
      if (!order) return undefined;
      if (decision === 'return') return giveBack(order);
      return (await close(order)) ? { ...order, status: 'closed' } : undefined;
    },
    async returnOld() {
      let returned = 0;
      for (const order of await flagged(new Date(clock.now() - returnedAfterMs)))
        if (await giveBack(order)) returned += 1;
      return returned;
    },
  };
}
