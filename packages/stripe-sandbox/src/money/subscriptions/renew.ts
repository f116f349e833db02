import { emit } from '../../webhooks/emit-event.ts';
import { readAccount } from '../../objects/account.ts';
import type { InvoiceLine, Subscription } from '../../objects/types.ts';
import { periodEnd } from '../../time/billing-period.ts';
import type { Row, Work } from '../../work.ts';
import { addInvoice, finalizeInvoice, invoiceLine } from '../invoices/invoice.ts';
import { itemLine, subscriptionOfItem } from '../invoices/invoice-item.ts';
import { payInvoice } from '../invoices/pay-invoice.ts';
import { isAwaited } from './pending-update.ts';
import { productName } from '../product-name.ts';
import { dropPendingUpdate, markUncollectible, setAutoAdvance, voidInvoice } from '../invoices/stop-invoice.ts';
import { pricingOf, updateDiscount } from '../checkout/discount.ts';
import { currentPeriod, endSubscription, setStatus, subscriptionOf } from './subscription.ts';

/** Time for which a renewal's invoice remains a draft. */
const draftSeconds = 3600;

/** Ends a subscription at the end of its period, or begins a new period with an invoice. */
export async function renewSubscription(work: Work, subscription: Row<'subscription'>): Promise<void> {
  const { body } = subscription;
  const isCanceled = body.cancel_at !== null && body.cancel_at <= currentPeriod(body).end;
  if (body.cancel_at_period_end || isCanceled) {
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
  const pricing = await pricingOf(work, body, work.time);
  const invoice = await addInvoice(work, {
    customer: await work.need('customer', body.customer),
    currency: body.currency,
    reason: 'subscription_cycle',
    lines: [...(await takeItems(work, body)), ...subscription.memory.waiting, ...(await periodLines(work, body))],
    period: { start: work.time, end: work.time },
    subscription: body,
    metadata: {},
    usesBalance: true,
    pricing,
  });
  updateDiscount(work, subscription, pricing);
  invoice.body.automatically_finalizes_at = work.time + draftSeconds;
  invoice.dueMs = invoice.body.automatically_finalizes_at * 1000;
  // invoices of unpaid subscriptions are not charged automatically
  if (body.status === 'unpaid') Object.assign(invoice.body, { auto_advance: false, automatically_finalizes_at: null });
  if (!invoice.body.auto_advance) invoice.dueMs = null;
  work.save(invoice);
  if (body.pause_collection) await pauseCollection(work, invoice, body.pause_collection.behavior);
  subscription.memory.waiting = [];
  body.latest_invoice = invoice.id;
  subscription.dueMs = period.end * 1000;
  work.save(subscription);
  emit(work, 'customer.subscription.updated', body, previous);
}

export function periodLines(work: Work, subscription: Subscription): Promise<InvoiceLine[]> {
  return Promise.all(
    subscription.items.data.map(async (item) =>
      invoiceLine(work, {
        price: item.price,
        quantity: item.quantity,
        amount: item.price.unit_amount * item.quantity,
        description: `${item.quantity} × ${await productName(work, item.price)}`,
        period: { start: item.current_period_start, end: item.current_period_end },
        subscription: { id: subscription.id, item: item.id },
        proration: false,
      }),
    ),
  );
}

/** Charges a renewal's invoice. After the last decline the subscription ends. */
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
  const result = await payInvoice(work, invoice, await methodOf(work, subscription), 'away', typesOf(subscription));
  if (result === 'paid') setStatus(work, subscription, 'active');
  else if (result !== 'processing') await afterRefusal(work, subscription, invoice);
}

/** Sets the status after a declined renewal: past due until the next retry, or the account's setting after the last one. */
export async function afterRefusal(
  work: Work,
  subscription: Row<'subscription'>,
  invoice: Row<'invoice'>,
): Promise<void> {
  if (subscription.body.status === 'canceled') return;
  const { afterLastRetry } = (await readAccount(work)).memory;
  if (invoice.body.next_payment_attempt !== null) setStatus(work, subscription, 'past_due');
  else if (afterLastRetry === 'cancel') endSubscription(work, subscription, 'payment_failed');
  else setStatus(work, subscription, afterLastRetry);
}

/** Applies paused collection to an invoice, which remains a draft, is voided or is written off. */
async function pauseCollection(work: Work, invoice: Row<'invoice'>, behavior: string): Promise<void> {
  setAutoAdvance(work, invoice, false);
  if (behavior === 'keep_as_draft') return;
  await finalizeInvoice(work, invoice, { usesBalance: true });
  if (behavior === 'void') await voidInvoice(work, invoice);
  else await markUncollectible(work, invoice);
}

/** Payment method types allowed for a subscription's invoices; undefined: all. */
const typesOf = ({ body }: Row<'subscription'>): readonly string[] | undefined =>
  body.payment_settings?.payment_method_types ?? undefined;

/** Returns the payment method of a subscription: its own, else its customer's. */
export async function methodOf(work: Work, { body }: Row<'subscription'>): Promise<Row<'payment_method'>> {
  const customer = await work.need('customer', body.customer);
  const id = body.default_payment_method ?? customer.body.invoice_settings.default_payment_method;
  return work.need('payment_method', id ?? '');
}

/** Moves pending items of a subscription or its customer to the invoice. Stripe lists them before the lines of the period. */
async function takeItems(work: Work, { id, customer }: Subscription): Promise<InvoiceLine[]> {
  const items = await work.find('invoiceitem', { body: { customer, invoice: null }, limit: 100 });
  const mine = items.filter(({ body }) => [null, id].includes(subscriptionOfItem(body)));
  for (const item of mine) {
    item.body.invoice = 'taken';
    work.save(item);
  }
  return mine.map(({ body }) => itemLine(work, body));
}
