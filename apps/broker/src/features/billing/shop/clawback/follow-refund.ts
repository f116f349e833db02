import type { Stripe } from 'stripe';
import { writeAuditWith, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { Query } from '#platform/db/database.ts';
import { findOrSyncPayment } from './find-or-sync-payment.ts';
import { withLockedPayment, markRefunded, recordClawback, returnedPart } from './record-clawback.ts';
import { closeFlagged, recordFailedRefund, type FailedRefund } from './record-failed-refund.ts';
import type { ClawbackParts } from './clawback-parts.ts';
import { restoreCredits, clawBackPayment } from './claw-back-payment.ts';

/** Applies a refund of the provider, in its current state: it claws back the payment's credits, or restores them if it failed. */
export async function followRefund(parts: ClawbackParts, id: string): Promise<void> {
  const { db, provider, clock } = parts;
  const refund = await provider.find((stripe) => stripe.refunds.retrieve(id));
  if (!refund) return;
  const payment = await findOrSyncPayment(parts, refund.payment_intent, { refund: id });
  if (!payment) return;
  const fact = `refund:${id}`;
  const isFailed = refund.status === 'failed' || refund.status === 'canceled';
  await withLockedPayment(db, payment, async (query) => {
    if (isFailed) {
      const at = new Date(clock.now());
      const { paymentIntentId } = payment;
      const accessRefund = refund.metadata?.['accessRefund'];
      const undone = await recordFailedRefund(query, { fact, paymentIntentId, accessRefund, at });
      if (undone) await reportFailure(parts, query, refund, undone, at);
      await restoreCredits(query, payment, fact, at);
    } else {
      await recordClawback(query, parts, payment, { fact, what: 'Refund', ...refund });
      await clawBackPayment(query, payment, { fact, ...returnedPart(payment, refund), contra: 'refund' });
    }
    await markRefunded(query, payment);
    await closeFlagged(query, payment.paymentIntentId, new Date(clock.now()));
  });
  await parts.access.announce(payment.userId);
}

/**
 * Reports a refund that the bank did not carry out, in one transaction with what that undoes: otherwise a process that dies
 * would leave it unreported.
 */
async function reportFailure(
  { log }: ClawbackParts,
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
