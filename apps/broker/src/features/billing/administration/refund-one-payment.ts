import type { PersonPayment, previewRefund, refundPayment } from '@souk/contract/admin/person.ts';
import { moneyText } from '@souk/contract/billing/currencies.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import { actorOf, operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { readRow } from '../read-rows.ts';
import { withPatience } from '../shop/checkout/patience.ts';
import { findPayment } from '../shop/clawback/find-payment.ts';
import { wouldClawBack } from '../shop/clawback/claw-back-payment.ts';
import { lockUser, noRefunds, type AdministrationParts } from './administration-parts.ts';
import { keepsMoney } from '../shop/needs/dispute-of-payment.ts';
import { findPersonPayment } from './read-payments.ts';

export type RefundPreview = Omit<Answer<typeof previewRefund>, 'success'>;
export type PaymentRefund = Omit<Answer<typeof refundPayment>, 'success'>;
type PaymentRef = { userId: string; paymentId: string };

/** Previews what a refund would claw back. @throws SoukError not_found, payments_off, refund_impossible, refund_too_high */
export async function previewOfRefund(
  parts: AdministrationParts,
  { userId, paymentId }: PaymentRef,
  amountCents: number,
): Promise<RefundPreview> {
  const { db, livemode, ledger } = parts;
  const { payment, paymentIntentId } = await findRefundable(parts, db.query, { userId, paymentId }, amountCents);
  const known = await findPayment(db.query, paymentIntentId);
  const [account, taken] = await Promise.all([
    ledger.account(userId),
    known ? wouldClawBack(db.query, known, amountCents) : 0,
  ]);
  return {
    amountCents,
    currency: payment.currency,
    credits: {
      granted: known?.granted ?? 0,
      taken,
      owed: Math.max(0, taken - Math.max(0, account.balance - account.held)),
    },
    runs: await findRunning(db.query, { userId, livemode, subscriptionId: known?.subscriptionId }),
  };
}

/**
 * Refunds a part or all of one payment: stores the refund and its audit row in one transaction, then tries to make it for as
 * long as an administrator waits; a job retries. The provider's event claws back the credits.
 * @throws SoukError as previewOfRefund, and changed_since_shown where more was refunded than the administrator saw
 */
export async function refundOnePayment(
  parts: AdministrationParts,
  of: PaymentRef,
  { amountCents, refundedCents }: { amountCents: number; refundedCents: number | undefined },
  by: DecidedBy,
): Promise<PaymentRefund> {
  const { db, livemode, clock, log } = parts;
  const refunds = refundsOf(parts);
  const id = await db.transaction(async (query) => {
    await lockUser(parts, query, of.userId);
    const found = await findRefundable(parts, query, of, amountCents, { lock: true, refundedCents });
    const { payment, paymentIntentId, invoiceId, refundedOrPendingCents } = found;
    const { currency } = payment;
    const refund = await refunds.wantPayment(query, {
      userId: of.userId,
      transactionId: payment.id,
      currency,
      payment: { invoiceId, paymentIntentId, amount: amountCents },
    });
    const details = {
      paymentId: payment.id,
      refundId: refund,
      amount: amountCents,
      currency,
      before: { refunded: moneyText(refundedOrPendingCents, currency) },
      after: { refunded: moneyText(refundedOrPendingCents + amountCents, currency) },
      sandbox: !livemode,
      ...operatorOf(by),
    };
    const entry = {
      actorId: actorOf(by),
      action: 'user.refund-asked' as const,
      subject: of.userId,
      reason: by.reason,
      details,
    };
    await writeAuditWith(query, entry, new Date(clock.now()));
    return refund;
  });
  await withPatience(refunds.payAll(await refunds.find([id]))).catch((error: unknown) =>
    log.warn({ err: error, refund: id }, 'a refund is not made yet; a job will retry'),
  );
  const [refund] = await refunds.find([id]);
  if (!refund) throw new Error(`refund ${id} is missing`);
  const { state, amount, currency, error } = refund;
  const result = state === 'wanted' ? 'pending' : state === 'refunded' ? 'refunded' : 'failed';
  return { result, amountCents: amount, currency, error: state === 'failed' ? (error ?? null) : null };
}

function refundsOf({ payments }: Pick<AdministrationParts, 'payments'>) {
  if (!payments) throw noRefunds();
  return payments.refunds;
}

async function findRefundable(
  parts: AdministrationParts,
  query: Query,
  { userId, paymentId }: PaymentRef,
  amountCents: number,
  { lock = false, refundedCents }: { lock?: boolean; refundedCents?: number | undefined } = {},
): Promise<{ payment: PersonPayment; paymentIntentId: string; invoiceId: string; refundedOrPendingCents: number }> {
  refundsOf(parts);
  const found = await findPersonPayment(query, { userId, livemode: parts.livemode, paymentId }, { lock });
  if (!found) throw new SoukError('not_found', { message: 'This user has no such payment' });
  const { payment, paymentIntentId, invoiceId = '' } = found;
  const { refund, currency, dispute } = payment;
  if (keepsMoney(dispute)) throw new SoukError('refund_impossible', { message: disputeText(dispute?.state) });
  if (!refund || refund.leftCents === 0 || paymentIntentId === undefined) throw new SoukError('refund_impossible');
  const refundedOrPendingCents = refund.refundedCents + refund.pendingCents;
  if (refundedCents !== undefined && refundedCents !== refundedOrPendingCents)
    throw new SoukError('changed_since_shown', {
      message:
        'Part of this payment was refunded in the meantime, so nothing was refunded now. Check the payment and try again.',
    });
  if (amountCents > refund.leftCents) {
    const left = moneyText(refund.leftCents, currency);
    throw new SoukError('refund_too_high', { message: `At most ${left} of this payment can be refunded.` });
  }
  return { payment, paymentIntentId, invoiceId, refundedOrPendingCents };
}

const disputeText = (state: string | undefined): string =>
  state === 'lost'
    ? 'This payment cannot be refunded: its dispute is lost, and the bank has given the money back.'
    : 'This payment is disputed, and the bank holds the money. It cannot be refunded until the dispute is decided: answer it at the payment provider.';

/** Finds whether the plan or rental that was paid for has not ended. */
async function findRunning(
  query: Query,
  { userId, livemode, subscriptionId }: { userId: string; livemode: boolean; subscriptionId: string | undefined },
): Promise<RefundPreview['runs']> {
  if (subscriptionId === undefined) return null;
  const row = await readRow<{ runs: 'plan' | 'rental' }>(
    query,
    `select 'plan' as runs from subscriptions
       where user_id = $1 and livemode = $2 and payment_id = $3 and ended_at is null
     union all select 'rental' from access_grants
       where user_id = $1 and livemode = $2 and payment_id = $3 and ended_at is null limit 1`,
    [userId, livemode, subscriptionId],
  );
  return row?.runs ?? null;
}
