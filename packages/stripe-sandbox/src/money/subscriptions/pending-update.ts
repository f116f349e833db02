import { emit } from '../../webhooks/emit-event.ts';
import type { Subscription } from '../../objects/types.ts';
import type { Row, Work } from '../../work.ts';
import { currentPeriod } from './subscription.ts';

/** Time to pay for a change; it ends with the period at the latest. */
const paymentLimitSeconds = 23 * 3600;

/** Defers a change of items until its invoice is paid. */
export function deferUpdate(
  work: Work,
  { body }: Row<'subscription'>,
  before: Subscription,
  invoice: Row<'invoice'>,
): void {
  const expiresAt = Math.min(work.time + paymentLimitSeconds, currentPeriod(before).end);
  body.pending_update = {
    billing_cycle_anchor: null,
    cancel_at_period_end: null,
    discount: null,
    discounts: null,
    expires_at: expiresAt,
    metadata: body.metadata,
    subscription_items: body.items.data,
    trial_end: null,
    trial_from_plan: null,
  };
  body.items.data = before.items.data;
  body.metadata = before.metadata;
  invoice.body.next_payment_attempt = null;
  invoice.dueMs = expiresAt * 1000;
  work.save(invoice);
}

/** Whether a change of the subscription awaits payment of the invoice. */
export const isAwaited = (subscription: Row<'subscription'>, invoice: Row<'invoice'>): boolean =>
  subscription.body.pending_update !== null && subscription.body.latest_invoice === invoice.id;

/** Applies a change whose invoice is paid. */
export function applyPendingUpdate(work: Work, subscription: Row<'subscription'>): void {
  const { body } = subscription;
  if (!body.pending_update) return;
  const previous = { items: structuredClone(body.items), pending_update: body.pending_update };
  body.items.data = body.pending_update.subscription_items;
  body.metadata = body.pending_update.metadata ?? body.metadata;
  body.pending_update = null;
  work.save(subscription);
  emit(work, 'customer.subscription.pending_update_applied', body);
  emit(work, 'customer.subscription.updated', body, previous);
}

/** Discards a change whose invoice is void. */
export function discardPendingUpdate(work: Work, subscription: Row<'subscription'>): void {
  subscription.body.pending_update = null;
  work.save(subscription);
  emit(work, 'customer.subscription.pending_update_expired', subscription.body);
}
