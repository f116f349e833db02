import type { Stripe } from 'stripe';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { findPaymentOfInvoice } from '../../find-payment-of-invoice.ts';
import { idOf } from '../../id-of.ts';
import { totalsOfInvoice } from './read-next-invoice.ts';
import { changeName } from '../../changes/plan-change-store.ts';
import { offerOfProduct } from '../../prices/put-price.ts';
import { balanceUsedOf } from '../../refunds/return-balance.ts';

/** A line of a paid invoice, with the plan that it charges or credits. */
export type PaidLine = {
  id: string;
  planId: string | undefined;
  priceId: string | undefined;
  amount: number;
  isCredit: boolean;
  isProration: boolean;
  covers: { from: Date; to: Date };
};

export type PaidInvoice = {
  id: string;
  /** create: the first invoice, which checkout recorded. cycle: a renewal. update: a change of plan. */
  reason: 'create' | 'cycle' | 'update';
  /** Minor units that were paid. */
  amount: number;
  /** Tax within the amount, and the discount that is already deducted. */
  tax: number;
  discount: number;
  /** ISO code in capitals. */
  currency: string;
  receiptUrl: string | undefined;
  paymentIntentId: string | undefined;
  paidAt: Date;
  /** Our decision (plan_changes) that caused it. */
  changeId: string | undefined;
  /** Minor units that it took from the customer's balance; negative where it added to it. */
  balanceUsed: number;
  /** Minor units due after the balance. */
  due: number;
  /** Minor units that were charged: an amount below the provider's minimum is left to the next invoice. */
  charged: number;
  /** The lines of the subscription. */
  lines: PaidLine[];
  /** The period that it pays for, with its plan; undefined where it only pays a difference. */
  period: { planId: string | undefined; priceId: string | undefined; endsAt: Date } | undefined;
  /** Both plans, where it pays the difference to another plan. */
  change:
    | { fromPlanId: string; fromPriceId: string | undefined; toPlanId: string; toPriceId: string | undefined }
    | undefined;
  /** The time that it pays for: a period, or the rest of one. */
  covers: { from: Date; to: Date } | undefined;
};

const reasons = new Map<string | null, PaidInvoice['reason']>([
  ['subscription_create', 'create'],
  ['subscription_cycle', 'cycle'],
  ['subscription_update', 'update'],
]);

/**
 * Reads the paid invoices among these, with what they are for, the oldest first.
 * @param isKnown invoices that are recorded already are left out
 * @throws SoukError payments_unavailable
 */
export async function readPaidInvoices(
  provider: PaymentProvider,
  invoices: readonly Stripe.Invoice[],
  isKnown: (invoiceId: string) => boolean,
): Promise<PaidInvoice[]> {
  const paid: PaidInvoice[] = [];
  for (const invoice of invoices.toReversed()) {
    const reason = reasons.get(invoice.billing_reason);
    if (invoice.status !== 'paid' || !reason || !invoice.id || isKnown(invoice.id)) continue;
    // lines that were added by hand stand before, between or after those of the subscription
    const lines = (await linesOf(provider, invoice)).filter(
      ({ parent }) => parent?.type === 'subscription_item_details',
    );
    const line = lines.find((one) => !isProration(one));
    const { tax, discount } = totalsOfInvoice(invoice);
    const covered = line ?? lines[0] ?? invoice.lines.data[0];
    paid.push({
      id: invoice.id,
      reason,
      amount: invoice.amount_paid,
      // without what the customer's balance paid
      tax: Math.min(Math.max(0, tax), invoice.amount_paid),
      discount,
      currency: invoice.currency.toUpperCase(),
      receiptUrl: invoice.hosted_invoice_url ?? undefined,
      paymentIntentId: await findPaymentOfInvoice(provider, invoice.id),
      paidAt: new Date((invoice.status_transitions.paid_at ?? invoice.created) * 1000),
      changeId: invoice.parent?.subscription_details?.metadata?.[changeName],
      balanceUsed: balanceUsedOf(invoice),
      due: Math.max(0, invoice.total + invoice.starting_balance),
      charged: invoice.amount_due,
      lines: lines.map(presentLine),
      period: line && {
        planId: planOf(line),
        priceId: priceOf(line),
        endsAt: new Date(line.period.end * 1000),
      },
      change: reason === 'update' ? changeOf(lines.filter(isProration)) : undefined,
      covers: covered && coversOf(covered),
    });
  }
  return paid;
}

const coversOf = ({ period }: Stripe.InvoiceLineItem) => ({
  from: new Date(period.start * 1000),
  to: new Date(period.end * 1000),
});

const presentLine = (line: Stripe.InvoiceLineItem): PaidLine => ({
  id: line.id,
  planId: planOf(line),
  priceId: priceOf(line),
  amount: line.amount,
  isCredit: isCredit(line),
  isProration: isProration(line),
  covers: coversOf(line),
});

const isProration = ({ parent }: Stripe.InvoiceLineItem): boolean =>
  parent?.subscription_item_details?.proration ?? false;

const priceOf = ({ pricing }: Stripe.InvoiceLineItem): string | undefined => idOf(pricing?.price_details?.price);

function planOf({ pricing }: Stripe.InvoiceLineItem): string | undefined {
  const product = pricing?.price_details?.product;
  const offer = product === undefined ? undefined : offerOfProduct(product);
  return offer?.kind === 'plan' ? offer.id : undefined;
}

/** The credit is for the old plan, the charge for the new one. A discount may reduce either to 0. */
function changeOf(prorations: readonly Stripe.InvoiceLineItem[]): PaidInvoice['change'] {
  const given = prorations.find(isCredit);
  const due = prorations.find((one) => !isCredit(one));
  const [fromPlanId, toPlanId] = [given && planOf(given), due && planOf(due)];
  if (!due || fromPlanId === undefined || toPlanId === undefined) return undefined;
  return { fromPlanId, toPlanId, fromPriceId: given && priceOf(given), toPriceId: priceOf(due) };
}

function isCredit({ amount, parent }: Stripe.InvoiceLineItem): boolean {
  const credited = parent?.subscription_item_details?.proration_details?.credited_items ?? null;
  return amount < 0 || (amount === 0 && credited !== null);
}

/** An invoice contains only its first ten lines. */
async function linesOf(provider: PaymentProvider, { id, lines }: Stripe.Invoice): Promise<Stripe.InvoiceLineItem[]> {
  if (!lines.has_more || id === undefined) return lines.data;
  const { data } = await provider.call((stripe) => stripe.invoices.listLineItems(id, { limit: 100 }));
  return data;
}
