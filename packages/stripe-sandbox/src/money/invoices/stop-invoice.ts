import type { Row, Work } from '../../work.ts';
import { emit } from '../../webhooks/emit-event.ts';
import { returnBalance } from './invoice.ts';
import { discardPendingUpdate, isAwaited } from '../subscriptions/pending-update.ts';
import { setStatus, subscriptionOf } from '../subscriptions/subscription.ts';

const hourSeconds = 3600;

/** Sets whether Stripe finalizes and charges an invoice automatically. Otherwise it can still be paid on its page. */
export function setAutoAdvance(work: Work, invoice: Row<'invoice'>, isOn: boolean): void {
  const { body } = invoice;
  body.auto_advance = isOn;
  body.next_payment_attempt = isOn && body.status === 'open' ? work.time + hourSeconds : null;
  if (body.status === 'draft') body.automatically_finalizes_at = isOn ? work.time + hourSeconds : null;
  const next = body.next_payment_attempt ?? body.automatically_finalizes_at;
  invoice.dueMs = next === null ? null : next * 1000;
  work.save(invoice);
  emit(work, 'invoice.updated', body);
}

/** Voids an invoice, which can then no longer be paid, and drops a change that awaits it. */
export async function voidInvoice(work: Work, invoice: Row<'invoice'>): Promise<void> {
  const { body } = invoice;
  body.status = 'void';
  body.auto_advance = false;
  body.next_payment_attempt = null;
  body.status_transitions.voided_at = work.time;
  invoice.dueMs = null;
  work.save(invoice);
  emit(work, 'invoice.voided', body);
  await returnBalance(work, invoice);
  const subscription = await subscriptionOf(work, invoice);
  if (subscription && isAwaited(subscription, invoice)) discardPendingUpdate(work, subscription);
  reactivate(work, subscription, invoice);
}

/** Drops a change whose invoice was not paid in time, or that another change replaces. */
export async function dropPendingUpdate(work: Work, { body }: Row<'subscription'>): Promise<void> {
  if (body.pending_update) await voidInvoice(work, await work.need('invoice', body.latest_invoice ?? ''));
}

/** Writes an invoice off: it is no longer charged automatically, but can still be paid on its page. */
export async function markUncollectible(work: Work, invoice: Row<'invoice'>): Promise<void> {
  const { body } = invoice;
  body.status = 'uncollectible';
  body.auto_advance = false;
  body.next_payment_attempt = null;
  body.status_transitions.marked_uncollectible_at = work.time;
  invoice.dueMs = null;
  work.save(invoice);
  emit(work, 'invoice.marked_uncollectible', body);
  reactivate(work, await subscriptionOf(work, invoice), invoice);
}

/** Reactivates a subscription that is past due only because of this invoice. */
function reactivate(work: Work, subscription: Row<'subscription'> | undefined, invoice: Row<'invoice'>): void {
  if (subscription?.body.latest_invoice === invoice.id && subscription.body.status === 'past_due')
    setStatus(work, subscription, 'active');
}
