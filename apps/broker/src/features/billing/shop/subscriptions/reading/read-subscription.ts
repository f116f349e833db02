import type { Stripe } from 'stripe';
import type { PaymentMethod } from '@souk/contract/billing/payments.ts';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { offerOfProduct } from '../../prices/put-price.ts';
import { changeName } from '../../changes/plan-change-store.ts';
import { endedUnpaid } from '../ends/end-at-provider.ts';
import { presentPaymentMethod } from '../cards/present-payment-method.ts';

/** A subscription as the payment provider has it now: of a plan, or of the rental of a server. */
export type ProviderSubscription = {
  /** Of the provider. */
  id: string;
  kind: 'plan' | 'rental';
  /** Of the plan or the server that the next invoice is for. */
  offerId: string;
  /** Of the provider: what a change of the price names. */
  itemId: string;
  /** In capitals. */
  currency: string;
  /** What the next invoice is reckoned by: of the provider, in minor units; undefined: it has no amount of its own. */
  priceId: string;
  amount: number | undefined;
  /** Tax is added to it. */
  isTaxed: boolean;
  /** A discount is taken off it. */
  isDiscounted: boolean;
  startedAt: Date;
  periodStartsAt: Date;
  periodEndsAt: Date;
  /** When it was cancelled; it ends with its period. */
  cancelledAt: Date | undefined;
  /** When it was over; it does not come back. */
  endedAt: Date | undefined;
  pastDue: boolean;
  /** It was ended by us since it was not paid: what is paid of it for a later time all the same goes back. */
  isEndedUnpaid: boolean;
  /** The decision of ours (plan_changes) that it was changed by last. */
  changeId: string | undefined;
  /** The newest that it has generated. */
  latestInvoice: { id: string; status: string | null } | undefined;
  /** Its customer, with the balance that their next invoice is reduced by (negative) or asks for in addition. */
  customer: { id: string; balance: number; currency: string };
  /** Whether its last invoice is paid. */
  isPaidUp: boolean;
  /** The provider has given up charging, or was told to, and keeps the subscription. */
  isGivenUp: boolean;
  /** It is charged to a bank account: what is due now arrives in days. */
  isDebited: boolean;
  /** What can pay its invoices, and whether what pays one is kept for the next. */
  paymentSettings: { methods: readonly string[] | undefined; keeps: boolean };
  /** Its renewals are charged to it; undefined where it has none of its own. */
  ownMethod: PaymentMethod | undefined;
  /** A change of plan that is made once the person has paid for it, on this page; it is dropped if they have not until then. */
  awaited: { planId: string; priceId: string; invoiceId: string; paymentUrl: string; until: Date } | undefined;
};

/** What the provider knows days later whether it pays. A change of plan cannot wait for it. */
const delayed: ReadonlySet<string> = new Set([
  'acss_debit',
  'au_becs_debit',
  'bacs_debit',
  'customer_balance',
  'nz_bank_account',
  'sepa_debit',
  'us_bank_account',
]);

/** Those that are over, or have never begun. */
const over: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

/**
 * @returns missing: the provider has no such subscription; undefined: it is of none of our products
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

/** A period that was written off counts as paid there. While the operator has paused the collection, months are given away. */
function isGivenUp({ status, latest_invoice: invoice, pause_collection: pause }: Stripe.Subscription): boolean {
  if (status === 'unpaid' || status === 'paused') return true;
  const isOfPeriod = typeof invoice === 'object' && invoice?.billing_reason === 'subscription_cycle';
  return isOfPeriod && invoice.status === 'uncollectible' && pause === null;
}

function awaitedOf({
  pending_update: pending,
  latest_invoice: invoice,
}: Stripe.Subscription): ProviderSubscription['awaited'] {
  const price = pending?.subscription_items?.[0]?.price;
  const offer = price && offerOfProduct(idOf(price.product));
  const open = typeof invoice === 'object' && invoice?.status === 'open' ? invoice : undefined;
  if (!price || offer?.kind !== 'plan' || !open?.id || !open.hosted_invoice_url) return undefined;
  const { id: invoiceId, hosted_invoice_url: paymentUrl } = open;
  return { planId: offer.id, priceId: price.id, invoiceId, paymentUrl, until: at(pending.expires_at) };
}

const idOf = (object: string | { id: string }) => (typeof object === 'string' ? object : object.id);

const at = (seconds: number) => new Date(seconds * 1000);
