import type { ShopParts } from '../../shop-parts.ts';
import { keyOf, type Order } from './order.ts';
import { decideOrder, listDecided } from './order-store.ts';
import { refundReturning } from '../outcome/refund-returning.ts';

const dayMs = 24 * 60 * 60_000;
/** Time that an operator has to decide. */
const returnedAfterMs = 7 * dayMs;
const pageSize = 100;
const epoch = new Date(0);

export type FlaggedOrders = {
  /** The oldest first, at most 100. */
  list(): Promise<Order[]>;
  /**
   * Applies the operator's decision: `return` refunds the payment now, `close` leaves it, because the operator has dealt with
   * it.
   * @returns the changed order; undefined where no flagged order has this id
   * @throws SoukError payments_unavailable: the next run refunds it
   */
  decide(id: string, decision: 'return' | 'close'): Promise<Order | undefined>;
  /** Refunds orders that the operator has not decided about for a week. Returns how many. */
  returnOld(): Promise<number>;
};

export function createFlaggedOrders(
  parts: Pick<ShopParts, 'db' | 'provider' | 'locks' | 'uuid' | 'clock' | 'log'>,
): FlaggedOrders {
  const { db, clock } = parts;
  const { livemode } = parts.provider;
  const flagged = (before: Date) =>
    listDecided(db.query, livemode, { statuses: ['flagged'], after: epoch, before, limit: pageSize });

  async function refundFlagged(order: Order): Promise<Order | undefined> {
    const at = new Date(clock.now());
    if (!(await decideOrder(db.query, order.id, ['flagged'], { status: 'returning', at }))) return undefined;
    return refundReturning(parts, { ...order, status: 'returning' });
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
      if (decision === 'return') return refundFlagged(order);
      return (await close(order)) ? { ...order, status: 'closed' } : undefined;
    },
    async returnOld() {
      let returned = 0;
      for (const order of await flagged(new Date(clock.now() - returnedAfterMs)))
        if (await refundFlagged(order)) returned += 1;
      return returned;
    },
  };
}
