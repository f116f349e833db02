import { emit } from '../../webhooks/emit-event.ts';
import type { Metadata, Price, Subscription, SubscriptionItem } from '../../objects/types.ts';
import { periodEnd } from '../../time/billing-period.ts';
import type { Row, Work } from '../../work.ts';
import { planOf } from './plan-of.ts';

/** Creates an active subscription whose first period begins now. */
export function addSubscription(
  work: Work,
  given: {
    customer: Row<'customer'>;
    method: string;
    items: readonly { price: Price; quantity: number }[];
    metadata: Metadata;
    billingMode: 'classic' | 'flexible';
    asksTax: boolean;
  },
): Row<'subscription'> {
  const id = work.newId('subscription');
  const start = work.time;
  const items = given.items.map((item) => newItem(work, id, item));
  const body: Subscription = {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: given.asksTax
      ? { disabled_reason: null, enabled: true, liability: { type: 'self' } }
      : { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: start,
    billing_cycle_anchor_config: null,
    billing_mode:
      given.billingMode === 'classic'
        ? { flexible: null, type: 'classic' }
        : { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: start,
    currency: items[0]?.price.currency ?? '',
    customer: given.customer.id,
    customer_account: null,
    days_until_due: null,
    default_payment_method: given.method,
    default_source: null,
    description: null,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: { object: 'list', data: items, has_more: false, url: `/v1/subscription_items?subscription=${id}` },
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: given.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: start,
    status: 'active',
    test_clock: given.customer.body.test_clock,
    transfer_data: null,
    trial_end: null,
    trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' } },
    trial_start: null,
  };
  given.customer.body.currency ??= body.currency;
  work.save(given.customer);
  return work.add(
    'subscription',
    body,
    { waiting: [] },
    { timeline: given.customer.body.test_clock, dueMs: currentPeriod(body).end * 1000 },
  );
}

function newItem(
  work: Work,
  subscription: string,
  { price, quantity }: { price: Price; quantity: number },
): SubscriptionItem {
  if (!price.recurring) throw new Error('a subscription needs recurring prices');
  return {
    id: work.newId('subscription_item'),
    object: 'subscription_item',
    billing_thresholds: null,
    created: work.time,
    current_period_end: periodEnd(work.time, work.time, price.recurring),
    current_period_start: work.time,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planOf(price),
    price,
    quantity,
    subscription,
    tax_rates: [],
  };
}

/** Returns the current period, which all items share. */
export function currentPeriod(subscription: Subscription): { start: number; end: number } {
  const [item] = subscription.items.data;
  if (!item) throw new Error('a subscription has no items');
  return { start: item.current_period_start, end: item.current_period_end };
}

export function endSubscription(
  work: Work,
  subscription: Row<'subscription'>,
  reason: 'cancellation_requested' | 'payment_failed',
  comment: string | null = null,
): void {
  const { body } = subscription;
  body.status = 'canceled';
  body.canceled_at ??= work.time;
  body.ended_at = work.time;
  body.cancellation_details = { comment, feedback: null, feedback_option: null, reason };
  subscription.memory.waiting = [];
  subscription.dueMs = null;
  work.save(subscription);
  emit(work, 'customer.subscription.deleted', body);
}

/** Changes the status of a subscription that is not canceled. A paused subscription does not renew. */
export function setStatus(
  work: Work,
  subscription: Row<'subscription'>,
  status: 'active' | 'past_due' | 'unpaid' | 'paused',
): void {
  const { status: before } = subscription.body;
  if (before === status || before === 'canceled') return;
  subscription.body.status = status;
  if (status === 'paused') subscription.dueMs = null;
  work.save(subscription);
  emit(work, 'customer.subscription.updated', subscription.body, { status: before });
}

export async function subscriptionOf(work: Work, invoice: Row<'invoice'>): Promise<Row<'subscription'> | undefined> {
  const id = invoice.body.parent?.subscription_details?.subscription;
  return typeof id === 'string' ? work.get('subscription', id) : undefined;
}
