import { emit } from '../webhooks/emit-event.ts';
import type { InvoiceLine, Subscription } from '../objects/types.ts';
import { periodEnd } from '../time/billing-period.ts';
import type { Row, Work } from '../work.ts';
import { addInvoice, finalizeInvoice, invoiceLine } from './invoice.ts';
import { payInvoice } from './pay-invoice.ts';
import { dropPendingUpdate, isAwaited } from './pending-update.ts';
import { currentPeriod, endSubscription, setStatus } from './subscription.ts';

/** A renewal's invoice stays a draft for this long. */
const draftSeconds = 3600;

/** The end of a period: the subscription ends, or begins a new one with an invoice. */
export async function renewSubscription(work: Work, subscription: Row<'subscription'>): Promise<void> {
  const { body } = subscription;
  if (body.cancel_at_period_end) {
    endSubscription(work, subscription, 'cancellation_requested');
    return;
  }
  const previous = { items: structuredClone(body.items), latest_invoice: body.latest_invoice };
  for (const item of body.items.data) {
    const start = item.current_period_end;
    item.current_period_start = start;
    if (item.price.recurring) {
      item.current_period_end = periodEnd(start, body.billing_cycle_anchor, item.price.recurring);
    }
  }
  const period = currentPeriod(body);
  const invoice = await addInvoice(work, {
    customer: await work.need('customer', body.customer),
    currency: body.currency,
    reason: 'subscription_cycle',
    lines: [...subscription.memory.waiting, ...periodLines(work, body)],
    period: { start: work.time, end: work.time },
    subscription: body,
    metadata: {},
    usesBalance: true,
  });
  invoice.body.automatically_finalizes_at = work.time + draftSeconds;
  invoice.dueMs = invoice.body.automatically_finalizes_at * 1000;
  subscription.memory.waiting = [];
  body.latest_invoice = invoice.id;
  subscription.dueMs = period.end * 1000;
  work.save(subscription);
  emit(work, 'customer.subscription.updated', body, previous);
}

/** What each item costs in the period that the subscription is in. */
export function periodLines(work: Work, subscription: Subscription): InvoiceLine[] {
  return subscription.items.data.map((item) =>
    invoiceLine(work, {
      price: item.price,
      quantity: item.quantity,
      amount: item.price.unit_amount * item.quantity,
      description: `${item.quantity} × ${item.price.nickname ?? item.price.product}`,
      period: { start: item.current_period_start, end: item.current_period_end },
      subscription: { id: subscription.id, item: item.id },
      proration: false,
    }),
  );
}

/** Charges a renewal's invoice, for the first time or again after a refusal. After the last refusal the subscription ends. */
export async function collectInvoice(work: Work, invoice: Row<'invoice'>): Promise<void> {
  const subscription = await subscriptionOf(work, invoice);
  if (!subscription || subscription.body.status === 'canceled') {
    invoice.dueMs = null;
    invoice.body.next_payment_attempt = null;
    work.save(invoice);
    return;
  }
  if (isAwaited(subscription, invoice)) return dropPendingUpdate(work, subscription);
  if (invoice.body.status === 'draft') await finalizeInvoice(work, invoice, { usesBalance: true });
  const method = await work.need('payment_method', subscription.body.default_payment_method);
  const result = await payInvoice(work, invoice, method, 'away');
  if (result === 'paid') setStatus(work, subscription, 'active');
  else if (invoice.body.next_payment_attempt === null) endSubscription(work, subscription, 'payment_failed');
  else setStatus(work, subscription, 'past_due');
}

export async function subscriptionOf(work: Work, invoice: Row<'invoice'>): Promise<Row<'subscription'> | undefined> {
  const id = invoice.body.parent?.subscription_details?.subscription;
  return typeof id === 'string' ? work.get('subscription', id) : undefined;
}
