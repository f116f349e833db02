import { writeAudit } from '#platform/audit/audit-log.ts';
import type { FulfilGiven } from './fulfilment.ts';
import { giveBack } from './give-back.ts';
import { accountDeleted, paidTwice, type Order } from './order.ts';
import { decideOrder } from './order-store.ts';

/** Gives back what an order that is `returning` was paid with, and says so in the log and the audit log. */
export type ReturnPayment = (order: Order) => Promise<Order>;

/** Where it is told apart in the audit log. */
const actions = new Map<string | undefined, string>([
  [accountDeleted, 'payment.refunded-after-deletion'],
  [paidTwice, 'payment.duplicate-refunded'],
]);

export function createReturnPayment(
  given: Pick<FulfilGiven, 'db' | 'provider' | 'uuid' | 'clock' | 'log'>,
): ReturnPayment {
  const { db, clock, log } = given;
  const now = () => clock.now();
  return async (order) => {
    const { id, userId, kind, itemId: of, reason } = order;
    const facts = { orderId: id, userId, kind, of, reason };
    const answer = await giveBack({ ...given, now }, order);
    if (answer === 'before') return { ...order, status: 'refunded' };
    if (answer !== 'refunded') {
      // as when the balance is too low: it is tried again in a week, unless the operator decides
      const stays = { status: 'flagged' as const, reason: 'its refund was refused' };
      await decideOrder(db.query, id, ['returning'], { ...stays, at: new Date(now()) });
      log.error({ ...facts, refused: answer.refused }, 'a payment could not be given back: an operator has to look');
      const details = { ...facts, error: answer.refused };
      const entry = { actorId: undefined, action: 'payment.return-refused', subject: id, details };
      await writeAudit(db.kysely, entry, new Date(now()));
      return { ...order, ...stays };
    }
    log.warn(facts, 'a payment for what cannot be had was given back');
    const action = actions.get(reason) ?? 'payment.returned';
    await writeAudit(db.kysely, { actorId: undefined, action, subject: id, details: facts }, new Date(now()));
    return { ...order, status: 'refunded' };
  };
}
