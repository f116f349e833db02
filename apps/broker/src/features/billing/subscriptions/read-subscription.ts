import type { Stripe } from 'stripe';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { offerOfProduct } from '../prices/put-price.ts';

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
  startedAt: Date;
  periodStartsAt: Date;
  periodEndsAt: Date;
  /** When it was cancelled; it ends with its period. */
  cancelledAt: Date | undefined;
  /** When it was over; it does not come back. */
  endedAt: Date | undefined;
  pastDue: boolean;
  /** Whether its last invoice is paid. */
  isPaidUp: boolean;
  /** The provider has given up charging, or was told to, and keeps the subscription. */
  isGivenUp: boolean;
  /** It is charged to a bank account: what is due now arrives in days. */
  isDebited: boolean;
  /** What can pay its invoices, and whether what pays one is kept for the next. */
  paymentSettings: { methods: readonly string[] | undefined; keeps: boolean };
  /** The type of what its renewals are charged to, where it has one of its own. */
  ownMethod: string | undefined;
  /** A change of plan that is made once the person has paid for it, on this page; it is dropped if they have not until then. */
  awaited: { planId: string; priceId: string; paymentUrl: string; until: Date } | undefined;
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
    stripe.subscriptions.retrieve(id, { expand: ['latest_invoice', 'default_payment_method'] }),
  );
  const [item] = found?.items.data ?? [];
  if (!found) return 'missing';
  if (!item) return undefined;
  const { product } = item.price;
  const offer = offerOfProduct(idOf(product));
  if (!offer || offer.kind === 'package') return undefined;
  const { latest_invoice: invoice, status, default_payment_method: method, payment_settings: settings } = found;
  const end = item.current_period_end;
  const ownMethod = typeof method === 'object' ? method?.type : undefined;
  const isCancelled = found.cancel_at_period_end || (found.cancel_at !== null && found.cancel_at <= end);
  return {
    id: found.id,
    kind: offer.kind,
    offerId: offer.id,
    itemId: item.id,
    currency: found.currency.toUpperCase(),
    startedAt: at(found.start_date),
    periodStartsAt: at(item.current_period_start),
    periodEndsAt: at(end),
    cancelledAt: isCancelled ? at(found.canceled_at ?? found.start_date) : undefined,
    endedAt: over.has(status) ? at(found.ended_at ?? found.canceled_at ?? found.start_date) : undefined,
    pastDue: status === 'past_due' || isGivenUp(found),
    isPaidUp: typeof invoice === 'object' && invoice?.status === 'paid',
    isGivenUp: isGivenUp(found),
    isDebited: ownMethod !== undefined && delayed.has(ownMethod),
    ownMethod,
    paymentSettings: {
      methods: settings?.payment_method_types ?? undefined,
      keeps: settings?.save_default_payment_method === 'on_subscription',
    },
    awaited: awaitedOf(found),
  };
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
  const paymentUrl = typeof invoice === 'object' && invoice?.status === 'open' ? invoice.hosted_invoice_url : undefined;
  if (!price || offer?.kind !== 'plan' || !paymentUrl) return undefined;
  return { planId: offer.id, priceId: price.id, paymentUrl, until: at(pending.expires_at) };
}

const idOf = (object: string | { id: string }) => (typeof object === 'string' ? object : object.id);

const at = (seconds: number) => new Date(seconds * 1000);
