import type { Stripe } from 'stripe';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { noteDispute } from '../needs/note-dispute.ts';
import { recordTransaction } from '../record-transaction.ts';
import { taxOfReturn } from '../tax-of-return.ts';
import type { PurchaseLock, PurchaseLocks } from '../changes/purchase-locks.ts';
import { endAtProvider } from '../subscriptions/ends/end-at-provider.ts';
import { writeAuditWith, type AuditEntry } from '#platform/audit/audit-log.ts';
import { closeFlagged, noteFailedRefund, type FailedRefund } from './refund-of-order.ts';
import { findPayment, findUnrecorded, type KnownPayment } from './find-payment.ts';
import { restoreCredits, takeCredits } from './take-credits.ts';

/** What follows where money goes back. Both may be called as often as they like, and in any order. */
export type TakeBack = {
  /** @param id of the refund. @throws when checkout has not recorded the payment yet: call again later */
  refund(id: string): Promise<void>;
  /**
   * A dispute freezes the credits of its payment while it is open: they are taken back, and come back when it is won. One that
   * is lost, or that the bank settled by giving the money back before, ends the subscription that the payment was for.
   */
  dispute(id: string): Promise<void>;
};

export function createTakeBack(given: {
  db: Pick<Database, 'query' | 'transaction'>;
  provider: PaymentProvider;
  sync(paymentId: string, lock?: PurchaseLock): Promise<unknown>;
  locks: PurchaseLocks;
  announce(userId: string): Promise<void>;
  uuid: () => string;
  clock: Clock;
  log: Log;
}): TakeBack {
  const { db, provider, uuid, log } = given;

  async function paymentOf(
    intent: string | { id: string } | null,
    facts: Record<string, unknown>,
  ): Promise<KnownPayment | undefined> {
    const id = typeof intent === 'string' ? intent : intent?.id;
    if (id === undefined) return undefined;
    const known = await findPayment(db.query, id);
    if (known) return known;
    const customer = (await provider.find((stripe) => stripe.paymentIntents.retrieve(id)))?.customer;
    if (!customer) return undefined;
    const unrecorded = await findUnrecorded(db.query, typeof customer === 'string' ? customer : customer.id);
    for (const one of unrecorded.subscriptionIds) await given.sync(one);
    const recorded = await findPayment(db.query, id);
    if (recorded) return recorded;
    if (unrecorded.hasOpenOrders) throw new Error(`the payment ${id} is not recorded yet`);
    log.warn({ ...facts, paymentIntent: id }, 'money went back for a payment that is not in the history');
    return undefined;
  }

  /**
   * Tells that the bank has not carried out a refund that was made, in one transaction with what that undoes: a process that
   * dies would leave it untold.
   */
  async function tellOfFailure(
    query: Query,
    refund: Stripe.Refund,
    { kind, id }: FailedRefund,
    at: Date,
  ): Promise<void> {
    const details = { refund: refund.id, reason: refund.failure_reason, [kind]: id };
    log.error(details, 'a refund failed at the bank: an operator has to look');
    const entry: AuditEntry = { actorId: undefined, action: 'payment.refund-failed', subject: id, details };
    await writeAuditWith(query, entry, at);
  }

  /** Of one payment one after the other. */
  function locked<T>(payment: KnownPayment, work: (query: Query) => Promise<T>): Promise<T> {
    return db.transaction(async (query) => {
      await query('select from transactions where id = $1 for update', [payment.transactionId]);
      return work(query);
    });
  }

  return {
    async refund(id) {
      const refund = await provider.find((stripe) => stripe.refunds.retrieve(id));
      if (!refund) return;
      const payment = await paymentOf(refund.payment_intent, { refund: id });
      if (!payment) return;
      const fact = `refund:${id}`;
      const isFailed = refund.status === 'failed' || refund.status === 'canceled';
      await locked(payment, async (query) => {
        if (isFailed) {
          const at = new Date(given.clock.now());
          const { paymentIntentId } = payment;
          const accessRefund = refund.metadata?.['accessRefund'];
          const undone = await noteFailedRefund(query, { fact, paymentIntentId, accessRefund, at });
          if (undone) await tellOfFailure(query, refund, undone, at);
          await restoreCredits(query, payment, fact, at);
        } else {
          await recordReturn(query, payment, { fact, what: 'Refund', ...refund });
          await takeCredits(query, payment, { fact, ...returned(payment, refund), contra: 'refund' });
        }
        await markRefunded(query, payment);
        await closeFlagged(query, payment.paymentIntentId, new Date(given.clock.now()));
      });
      await given.announce(payment.userId);
    },
    async dispute(id) {
      const dispute = await provider.find((stripe) => stripe.disputes.retrieve(id));
      if (!dispute) return;
      const payment = await paymentOf(dispute.payment_intent, { dispute: id });
      // an inquiry of the bank takes no money yet
      if (!payment || dispute.status.startsWith('warning_')) return noteDispute(db.query, dispute, payment);
      const fact = `dispute:${id}`;
      const outcome = outcomeOf(dispute);
      await locked(payment, async (query) => {
        // with what follows from it: a dispute that is noted as it is now is not read again
        await noteDispute(query, dispute, payment);
        await takeCredits(query, payment, { fact, ...returned(payment, dispute), contra: 'dispute' });
        if (outcome === 'stands') {
          // it may have been lost before an appeal
          await query(`update transactions set status = 'failed' where idem = $1`, [fact]);
          await restoreCredits(query, payment, fact, new Date(given.clock.now()));
        } else if (outcome !== undefined) await recordReturn(query, payment, { fact, what: outcome, ...dispute });
        await markRefunded(query, payment);
      });
      log.warn({ dispute: id, status: dispute.status, userId: payment.userId }, 'a payment is disputed');
      const isReturned = outcome !== undefined && outcome !== 'stands';
      const { subscriptionId } = payment;
      if (isReturned && subscriptionId !== undefined)
        await given.locks.run(payment.userId, (lock) => endAtProvider(given, subscriptionId, { lock }));
      await given.announce(payment.userId);
    },
  };

  async function recordReturn(
    query: Query,
    payment: KnownPayment,
    { fact, what, amount, currency }: { fact: string; what: string; amount: number; currency: string },
  ): Promise<void> {
    const { paymentIntentId } = payment;
    await recordTransaction(query, {
      id: uuid(),
      userId: payment.userId,
      livemode: payment.livemode,
      type: 'refund',
      status: 'completed',
      description: `${what}: ${payment.description}`,
      serverId: payment.serverId,
      amount,
      tax: await taxOfReturn(query, { paymentIntentId, fact, amount, currency }),
      currency: currency.toUpperCase(),
      paymentIntentId,
      idem: fact,
      at: new Date(given.clock.now()),
    });
  }
}

/** What became of a dispute; undefined: it is open, or was blocked without money moving. */
function outcomeOf({ status, payment_method_details: details }: Stripe.Dispute) {
  if (status === 'won') return 'stands';
  if (status === 'lost') return 'Dispute lost';
  if (status !== 'prevented') return undefined;
  return details?.card?.case_type === 'block' ? 'stands' : 'Dispute settled';
}

/** How much of a payment went back. In another currency its part is not known: all of it. */
const returned = (payment: KnownPayment, { amount, currency }: { amount: number; currency: string }) => ({
  amount: currency.toUpperCase() === payment.currency ? amount : payment.amount,
});

/**
 * A payment all of whose money went back is shown so; what went back in another currency counts as all. One that is about to go back,
 * or that the operator looks at, is no completed one meanwhile.
 */
async function markRefunded(query: Query, { transactionId, paymentIntentId }: KnownPayment): Promise<void> {
  const isOrder = (status: string) =>
    `exists (select from checkout_orders o where o.payment_intent_id = $2 and o.status = '${status}')`;
  await query(
    `update transactions t set status = case when t.amount <= (
         select coalesce(sum(case when r.currency = t.currency then r.amount else t.amount end), 0) from transactions r
         where r.payment_intent_id = $2 and r.type = 'refund' and r.status = 'completed')
       then 'refunded' when ${isOrder('flagged')} then 'pending' when ${isOrder('returning')} then t.status else 'completed' end
     where t.id = $1 and t.status in ('pending', 'completed', 'refunded')`,
    [transactionId, paymentIntentId],
  );
}
