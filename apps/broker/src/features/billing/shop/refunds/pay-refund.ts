import { writeAuditWith } from '#platform/audit/audit-log.ts';
import { queueNotice } from '#platform/notices/outbox.ts';
import { isChangeUnderWay, type PurchaseLock } from '../changes/purchase-locks.ts';
import type { ShopParts } from '../shop-parts.ts';
import { refundRest } from './refund-rest.ts';
import {
  decidePayments,
  endRefund,
  isOver,
  postponeRefund,
  refundFailedForMs,
  writePayments,
  type AccessRefund,
  type RefundPayment,
} from './refund-store.ts';

const longestWaitMs = 30 * 60_000;
/** Failures from this attempt on raise an alarm. */
const alarmingAttempt = 5;
/** Pause after a refusal. The provider may accept the refund later, when the balance suffices or a dispute has ended. */
const refusedAgainMs = 24 * 60 * 60_000;

export type RefundParts = Pick<ShopParts, 'db' | 'provider' | 'locks' | 'clock' | 'log'> & {
  /** Ends a subscription at the provider, and refetches it and its payments. */
  endNow(providerSubscriptionId: string, lock: PurchaseLock): Promise<unknown>;
};

const refundActions = {
  access: { refunded: 'access.refunded', failed: 'access.refund-failed' },
  payment: { refunded: 'user.refunded', failed: 'user.refund-failed' },
} as const;

const inMs = ({ clock }: RefundParts, ms: number) => new Date(clock.now() + ms);

/** Makes a refund. Repeatable after a failure at any step. @returns false where it failed and will be retried */
export async function payRefund(parts: RefundParts, refund: AccessRefund): Promise<boolean> {
  const { db, log } = parts;
  if (refund.state === 'refunded' || refund.state === 'nothing_paid') return true;
  try {
    await parts.locks.run(refund.userId, (lock) => work(parts, refund, lock));
    return true;
  } catch (error) {
    if (isChangeUnderWay(error)) {
      await postponeRefund(db.query, refund.id, { nextAt: inMs(parts, 15_000), error: 'another change was under way' });
      return true;
    }
    const facts = { err: error, refund: refund.id, attempts: refund.attempts + 1 };
    const text = 'a refund could not be made; it will be retried';
    if (refund.attempts + 1 >= alarmingAttempt) log.error(facts, text);
    else log.warn(facts, text);
    const nextAt = inMs(parts, Math.min(longestWaitMs, 15_000 * 2 ** refund.attempts));
    await postponeRefund(db.query, refund.id, { nextAt, error: String(error) });
    return false;
  }
}

/** Ends the subscription at the provider, decides what is refunded, and refunds it. */
async function work(parts: RefundParts, refund: AccessRefund, lock: PurchaseLock): Promise<void> {
  const { db } = parts;
  if (!refund.payments && !(await isOver(db.query, refund.providerSubscriptionId)))
    await parts.endNow(refund.providerSubscriptionId, lock);
  const payments = await db.transaction((query) => decidePayments(query, refund.id));
  let refused: string | undefined;
  for (const payment of payments) {
    if (payment.amount === 0) continue;
    await lock.confirm();
    refused = (await refundOne(parts, refund, payment)) ?? refused;
    await writePayments(db.query, refund.id, payments);
  }
  if (refused !== undefined) return end(parts, refund, 'failed', refused);
  await end(parts, refund, payments.some(({ amount }) => amount > 0) ? 'refunded' : 'nothing_paid');
}

/** Updates the payment with what was refunded of it. @returns why the provider refuses the rest */
async function refundOne(
  { provider }: RefundParts,
  { id, state, doneAt }: AccessRefund,
  payment: RefundPayment,
): Promise<string | undefined> {
  const { paymentIntentId, amount } = payment;
  const failedAtMs = state === 'failed' && doneAt ? doneAt.getTime() : Number.POSITIVE_INFINITY;
  const back = await refundRest(provider, {
    paymentIntentId,
    amount,
    name: { key: 'accessRefund', value: id },
    reason: 'requested_by_customer',
    // other refunds count if they were made after the provider refused ours
    counts: (one) => (one.created + 1) * 1000 > failedAtMs,
  });
  if (back.refused !== undefined) {
    payment.missing = back.missing;
    return back.refused;
  }
  delete payment.missing;
  payment.amount = back.returned + back.pending;
  const made = back.refunds.find(({ metadata }) => metadata?.['accessRefund'] === id);
  if (made) payment.refundId = made.id;
  return undefined;
}

async function end(
  parts: RefundParts,
  refund: AccessRefund,
  state: 'refunded' | 'nothing_paid' | 'failed',
  error?: string,
): Promise<void> {
  const { db, provider, log } = parts;
  const { id, userId, accessId, providerSubscriptionId, transactionId, currency } = refund;
  // the first failure was reported
  if (state === 'failed' && refund.state === 'failed') return postponeRefused(parts, refund, error ?? '');
  if (state === 'failed')
    log.error(
      { refund: id, ...(transactionId ? { transactionId } : { subscription: providerSubscriptionId }), reason: error },
      'a refund was refused: an operator has to look',
    );
  await db.transaction(async (query) => {
    const at = inMs(parts, 0);
    const again = state === 'failed' && { error: error ?? '', nextAt: inMs(parts, refusedAgainMs) };
    const amount = await endRefund(query, id, { state, at, ...again });
    if (amount === undefined || state === 'nothing_paid') return;
    const details = {
      ...(transactionId === undefined ? { id: accessId } : { paymentId: transactionId, refundId: id }),
      amount,
      currency,
      sandbox: !provider.livemode,
      ...(error !== undefined && { error }),
    };
    const action = refundActions[transactionId === undefined ? 'access' : 'payment'][state];
    await writeAuditWith(query, { actorId: undefined, action, subject: userId, details }, inMs(parts, 0));
    if (state !== 'refunded') return;
    const facts = { amount, currency };
    await queueNotice(query, { kind: 'payment_refunded', userId, event: id, facts }, inMs(parts, 0));
  });
}

async function postponeRefused(parts: RefundParts, { id, doneAt }: AccessRefund, error: string): Promise<void> {
  const isOld = doneAt !== undefined && parts.clock.now() - doneAt.getTime() > refundFailedForMs;
  await postponeRefund(parts.db.query, id, { nextAt: isOld ? undefined : inMs(parts, refusedAgainMs), error });
}
