import type { Stripe } from 'stripe';
import { recordDispute } from '../needs/record-dispute.ts';
import { endAtProvider } from '../subscriptions/ends/end-at-provider.ts';
import { findOrSyncPayment } from './find-or-sync-payment.ts';
import { withLockedPayment, markRefunded, recordClawback, returnedPart } from './record-clawback.ts';
import type { ClawbackParts } from './clawback-parts.ts';
import { restoreCredits, clawBackPayment } from './claw-back-payment.ts';

/**
 * Applies a dispute of the provider, in its current state. While it is open, the credits of its payment are clawed back; they
 * are restored when it is won. If it is lost, or the bank refunded the payment before, the subscription that was paid for ends.
 */
export async function followDispute(parts: ClawbackParts, id: string): Promise<void> {
  const { db, provider, clock, log } = parts;
  const dispute = await provider.find((stripe) => stripe.disputes.retrieve(id));
  if (!dispute) return;
  const payment = await findOrSyncPayment(parts, dispute.payment_intent, { dispute: id });
  // an inquiry of the bank takes no money yet
  if (!payment || dispute.status.startsWith('warning_')) return recordDispute(db.query, dispute, payment);
  const fact = `dispute:${id}`;
  const outcome = outcomeOf(dispute);
  await withLockedPayment(db, payment, async (query) => {
    // in one transaction with its consequences: findMissedDisputes skips a dispute that is stored in its current state
    await recordDispute(query, dispute, payment);
    await clawBackPayment(query, payment, { fact, ...returnedPart(payment, dispute), contra: 'dispute' });
    if (outcome === 'stands') {
      // it may have been lost before an appeal
      await query(`update transactions set status = 'failed' where idem = $1`, [fact]);
      await restoreCredits(query, payment, fact, new Date(clock.now()));
    } else if (outcome !== undefined) await recordClawback(query, parts, payment, { fact, what: outcome, ...dispute });
    await markRefunded(query, payment);
  });
  log.warn({ dispute: id, status: dispute.status, userId: payment.userId }, 'a payment is disputed');
  const isReturned = outcome !== undefined && outcome !== 'stands';
  const { subscriptionId } = payment;
  if (isReturned && subscriptionId !== undefined)
    await parts.locks.run(payment.userId, (lock) => endAtProvider(parts, subscriptionId, { lock }));
  await parts.access.announce(payment.userId);
}

/** Outcome of a dispute; undefined: it is open, or was blocked without money moving. */
function outcomeOf({ status, payment_method_details: details }: Stripe.Dispute) {
  if (status === 'won') return 'stands';
  if (status === 'lost') return 'Dispute lost';
  if (status !== 'prevented') return undefined;
  return details?.card?.case_type === 'block' ? 'stands' : 'Dispute settled';
}
