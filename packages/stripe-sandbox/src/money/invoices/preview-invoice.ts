import { badRequest } from '../../api/stripe-error.ts';
import type { Invoice, Subscription } from '../../objects/types.ts';
import { periodEnd } from '../../time/billing-period.ts';
import { enterTimeOf } from '../../time/time-of-customer.ts';
import type { Row, Work } from '../../work.ts';
import { changeItems, type ItemChange } from '../subscriptions/change-items.ts';
import { pricingOf } from '../checkout/discount.ts';
import { draftInvoice } from './invoice.ts';
import { periodLines } from '../subscriptions/renew.ts';
import type { SubscriptionChange } from '../subscriptions/change-subscription.ts';
import { currentPeriod } from '../subscriptions/subscription.ts';

/** Returns the invoice that a change would create now (always_invoice), or the invoice of the next renewal. Stores nothing. */
export async function previewInvoice(
  work: Work,
  subscription: Row<'subscription'>,
  change: {
    items: readonly ItemChange[];
    proration: SubscriptionChange['proration'];
    at: number | undefined;
    /** Ignores a scheduled cancellation. */
    isResumed: boolean;
  },
): Promise<Invoice> {
  const { body } = subscription;
  if (body.status === 'canceled') throw badRequest('The subscription is canceled: it has no upcoming invoice.');
  await enterTimeOf(work, body.customer);
  const changed = await changeItems(work, subscription, change.items, change.at ?? work.time);
  const prorations = change.proration === 'none' ? [] : changed.lines;
  const atOnce = change.proration === 'always_invoice' && prorations.length > 0;
  const period = currentPeriod(body);
  const isEnding = body.cancel_at_period_end || (body.cancel_at !== null && body.cancel_at <= period.end);
  if (isEnding && !change.isResumed && !atOnce)
    throw badRequest(`No upcoming invoices for customer: ${body.customer}`, { code: 'invoice_upcoming_none' });
  const lines = atOnce
    ? prorations
    : [...subscription.memory.waiting, ...prorations, ...(await periodLines(work, nextPeriod(body, changed.items)))];
  // prorations already include the discount
  const pricing = await pricingOf(work, body, atOnce ? work.time : period.end);
  return draftInvoice(work, {
    id: `upcoming_${work.newId('invoice')}`,
    customer: await work.need('customer', body.customer),
    currency: body.currency,
    reason: atOnce ? 'subscription_update' : 'upcoming',
    lines,
    period,
    subscription: body,
    metadata: {},
    usesBalance: true,
    pricing,
  });
}

function nextPeriod(subscription: Subscription, items: Subscription['items']['data']): Subscription {
  const { end: start } = currentPeriod(subscription);
  const data = items.map((item) => ({
    ...item,
    current_period_start: start,
    current_period_end: item.price.recurring
      ? periodEnd(start, subscription.billing_cycle_anchor, item.price.recurring)
      : start,
  }));
  return { ...subscription, items: { ...subscription.items, data } };
}
