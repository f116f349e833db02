import { emit } from '../../webhooks/emit-event.ts';
import type { InvoiceLine, Metadata, Subscription } from '../../objects/types.ts';
import type { Row, Work } from '../../work.ts';
import { changeItems, type ItemChange } from './change-items.ts';
import { pricingOf } from '../checkout/discount.ts';
import { addInvoice, finalizeInvoice } from '../invoices/invoice.ts';
import { payInvoice } from '../invoices/pay-invoice.ts';
import { refusalOf } from '../invoices/refusal-of.ts';
import { deferUpdate } from './pending-update.ts';
import { methodOf } from './renew.ts';
import { dropPendingUpdate } from '../invoices/stop-invoice.ts';
import { currentPeriod, setStatus } from './subscription.ts';

type Settings = NonNullable<Subscription['payment_settings']>;

export type SubscriptionChange = {
  cancelAtPeriodEnd?: boolean | undefined;
  /** null: removes the date. */
  cancelAt?: number | null | undefined;
  defaultPaymentMethod?: string | undefined;
  paymentSettings?:
    | { [Name in 'save_default_payment_method' | 'payment_method_types']?: Settings[Name] | undefined }
    | undefined;
  /** null: resumes collection. */
  pauseCollection?: Subscription['pause_collection'] | undefined;
  metadata?: Metadata | undefined;
  items?: readonly ItemChange[] | undefined;
  proration: 'always_invoice' | 'create_prorations' | 'none';
  prorationDate?: number | undefined;
  /**
   * If the card is declined, error_if_incomplete rejects the change, and pending_if_incomplete applies it once the invoice is
   * paid.
   */
  payment: 'allow_incomplete' | 'error_if_incomplete' | 'pending_if_incomplete';
};

/** Changes a subscription. The cost of changed items is charged now, at the renewal, or not at all. */
export async function changeSubscription(
  work: Work,
  subscription: Row<'subscription'>,
  change: SubscriptionChange,
): Promise<void> {
  const { body } = subscription;
  const before = structuredClone(body);
  if (change.metadata) body.metadata = change.metadata;
  if (change.cancelAtPeriodEnd !== undefined) setCancel(work, subscription, change.cancelAtPeriodEnd);
  if (change.cancelAt !== undefined) setCancelAt(work, subscription, change.cancelAt);
  if (change.defaultPaymentMethod !== undefined) body.default_payment_method = change.defaultPaymentMethod;
  if (body.payment_settings) Object.assign(body.payment_settings, change.paymentSettings);
  if (change.pauseCollection !== undefined) body.pause_collection = change.pauseCollection;
  let lines: InvoiceLine[] = [];
  if (change.items) {
    await dropPendingUpdate(work, subscription);
    const changed = await changeItems(work, subscription, change.items, change.prorationDate ?? work.time);
    body.items.data = changed.items;
    lines = change.proration === 'none' ? [] : changed.lines;
  }
  if (change.proration === 'create_prorations') subscription.memory.waiting.push(...lines);
  else if (lines.length > 0) await invoiceNow(work, subscription, before, lines, change.payment);
  work.save(subscription);
  const previous = differences(before, body);
  if (Object.keys(previous).length > 0) emit(work, 'customer.subscription.updated', body, previous);
}

/** Sets a cancellation date, as the portal does for subscriptions in flexible mode. */
export function setCancelAt(work: Work, { body }: Row<'subscription'>, cancelAt: number | null): void {
  body.cancel_at = cancelAt;
  body.canceled_at = cancelAt === null ? null : work.time;
}

function setCancel(work: Work, { body }: Row<'subscription'>, cancel: boolean): void {
  // an explicit date remains until it is removed
  const hasDate = !body.cancel_at_period_end && body.cancel_at !== null;
  if (hasDate && !cancel) return;
  body.cancel_at_period_end = cancel;
  body.cancel_at = cancel ? currentPeriod(body).end : null;
  body.canceled_at = cancel ? work.time : null;
  body.cancellation_details = {
    comment: null,
    feedback: null,
    feedback_option: null,
    reason: cancel ? 'cancellation_requested' : null,
  };
}

async function invoiceNow(
  work: Work,
  subscription: Row<'subscription'>,
  before: Subscription,
  lines: InvoiceLine[],
  payment: SubscriptionChange['payment'],
): Promise<void> {
  const { body } = subscription;
  const invoice = await addInvoice(work, {
    customer: await work.need('customer', body.customer),
    currency: body.currency,
    reason: 'subscription_update',
    lines,
    period: currentPeriod(body),
    subscription: body,
    metadata: {},
    usesBalance: true,
    pricing: await pricingOf(work, body, work.time),
  });
  await finalizeInvoice(work, invoice, { usesBalance: true });
  body.latest_invoice = invoice.id;
  const result = await payInvoice(work, invoice, await methodOf(work, subscription), 'away');
  if (result === 'paid' || result === 'processing') return;
  if (payment === 'error_if_incomplete') {
    // the changes made so far are rolled back with the transaction
    throw refusalOf(result, 'subscription', 'Payment for this subscription');
  }
  if (payment === 'pending_if_incomplete') return deferUpdate(work, subscription, before, invoice);
  setStatus(work, subscription, 'past_due');
}

/** Returns the previous values of changed fields. */
function differences(before: object, after: object): Record<string, unknown> {
  const entries = Object.entries(before).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(after, name)),
  );
  return Object.fromEntries(entries);
}
