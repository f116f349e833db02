import type { Stripe } from 'stripe';
import type { PaymentMethod } from '@souk/contract/billing/payments.ts';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { idOf } from '../../id-of.ts';
import { offerOfProduct } from '../../prices/put-price.ts';
import { changeName } from '../../changes/plan-change-store.ts';
import { endedUnpaid } from '../ends/end-at-provider.ts';
import { presentPaymentMethod } from '../cards/present-payment-method.ts';

/** A subscription in its current state at the payment provider: to a plan, or to the rental of a server. */
export type ProviderSubscription = {
  id: string;
  kind: 'plan' | 'rental';
  /** Id of the plan or the server that the next invoice is for. */
  offerId: string;
  itemId: string;
  /** ISO code in capitals. */
  currency: string;
  /** The provider's price of the next invoice. */
  priceId: string;
  /** Minor units of the price; undefined where it has no fixed amount. */
  amount: number | undefined;
  isTaxed: boolean;
  isDiscounted: boolean;
  startedAt: Date;
  periodStartsAt: Date;
  periodEndsAt: Date;
  /** Time of a cancellation with the end of the period. */
  cancelledAt: Date | undefined;
  endedAt: Date | undefined;
  pastDue: boolean;
  /** We ended it because it was unpaid: payments for a later time are refunded. */
  isEndedUnpaid: boolean;
  /** Our decision (plan_changes) that changed it last. */
  changeId: string | undefined;
  latestInvoice: { id: string; status: string | null } | undefined;
  /** The customer. A negative balance reduces their next invoice, a positive one is added to it. */
  customer: { id: string; balance: number; currency: string };
  isPaidUp: boolean;
  /** The provider has stopped charging and keeps the subscription. */
  isGivenUp: boolean;
  /** Charged to a bank account: a payment arrives within days. */
  isDebited: boolean;
  /** Methods that can pay its invoices, and whether the method of a payment is kept for the next one. */
  paymentSettings: { methods: readonly string[] | undefined; keeps: boolean };
  /** Method that its renewals are charged to; undefined where it has none of its own. */
  ownMethod: PaymentMethod | undefined;
  /** A change of plan that takes effect once the user pays for it, on this page; it is dropped at `until`. */
  awaited: { planId: string; priceId: string; invoiceId: string; paymentUrl: string; until: Date } | undefined;
};

/** Payment methods whose outcome takes days. A change of plan cannot wait for it. */
const delayed: ReadonlySet<string> = new Set([
  'acss_debit',
  'au_becs_debit',
  'bacs_debit',
  'customer_balance',
  'nz_bank_account',
  'sepa_debit',
  'us_bank_account',
]);

/** Statuses of subscriptions that are over, or never started. */
const over: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

/**
 * @returns missing: the provider has no such subscription; undefined: the product is not ours
 * @throws SoukError payments_unavailable
 */
export async function readSubscription(
  provider: PaymentProvider,
  id: string,
): Promise<ProviderSubscription | 'missing' | undefined> {
  const found = await provider.find((stripe) =>
    stripe.subscriptions.retrieve(id, { expand: ['latest_invoice', 'default_payment_method', 'customer'] }),
  );
  const [item] = found?.items.data ?? [];
  if (!found) return 'missing';
  if (!item) return undefined;
  const { product } = item.price;
  const offer = offerOfProduct(idOf(product));
  if (!offer || offer.kind === 'package') return undefined;
  const { latest_invoice: invoice, status, default_payment_method: method, payment_settings: settings } = found;
  const end = item.current_period_end;
  const ownMethod = typeof method === 'object' && method ? presentPaymentMethod(method) : undefined;
  const isCancelled = found.cancel_at_period_end || (found.cancel_at !== null && found.cancel_at <= end);
  return {
    id: found.id,
    kind: offer.kind,
    offerId: offer.id,
    itemId: item.id,
    currency: found.currency.toUpperCase(),
    priceId: item.price.id,
    amount: item.price.unit_amount ?? undefined,
    isTaxed: found.automatic_tax.enabled,
    isDiscounted: found.discounts.length > 0,
    startedAt: at(found.start_date),
    periodStartsAt: at(item.current_period_start),
    periodEndsAt: at(end),
    cancelledAt: isCancelled ? at(found.canceled_at ?? found.start_date) : undefined,
    endedAt: over.has(status) ? at(found.ended_at ?? found.canceled_at ?? found.start_date) : undefined,
    pastDue: status === 'past_due' || isGivenUp(found),
    isEndedUnpaid: found.cancellation_details?.comment === endedUnpaid,
    changeId: found.metadata[changeName],
    latestInvoice:
      typeof invoice === 'object' && invoice?.id !== undefined ? { id: invoice.id, status: invoice.status } : undefined,
    customer: customerOf(found),
    isPaidUp: typeof invoice === 'object' && invoice?.status === 'paid',
    isGivenUp: isGivenUp(found),
    isDebited: ownMethod !== undefined && delayed.has(ownMethod.type),
    ownMethod,
    paymentSettings: {
      methods: settings?.payment_method_types ?? undefined,
      keeps: settings?.save_default_payment_method === 'on_subscription',
    },
    awaited: awaitedOf(found),
  };
}

function customerOf({ customer, currency }: Stripe.Subscription): ProviderSubscription['customer'] {
  const balance = typeof customer === 'object' && 'balance' in customer ? customer.balance : 0;
  return { id: idOf(customer), balance, currency: currency.toUpperCase() };
}

/** The provider counts a written-off period as paid. While the operator has paused the collection, months are free. */
function isGivenUp({ status, latest_invoice: invoice, pause_collection: pause }: Stripe.Subscription): boolean {
  if (status === 'unpaid' || status === 'paused') return true;
  const isOfPeriod = typeof invoice === 'object' && invoice?.billing_reason === 'subscription_cycle';
  return isOfPeriod && invoice.status === 'uncollectible' && pause === null;
}

function awaitedOf(found: Stripe.Subscription): ProviderSubscription['awaited'] {
  const { pending_update: pending, latest_invoice: invoice } = found;
  const price = pending?.subscription_items?.[0]?.price;
  const offer = price && offerOfProduct(idOf(price.product));
  const open = typeof invoice === 'object' && invoice?.status === 'open' ? invoice : undefined;
  if (!price || offer?.kind !== 'plan' || !open?.id || !open.hosted_invoice_url) return undefined;
  const { id: invoiceId, hosted_invoice_url: paymentUrl } = open;
  return { planId: offer.id, priceId: price.id, invoiceId, paymentUrl, until: at(pending.expires_at) };
}

const at = (seconds: number) => new Date(seconds * 1000);
