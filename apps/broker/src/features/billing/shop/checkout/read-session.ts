import type { Stripe } from 'stripe';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { idOf } from '../id-of.ts';
import type { Order, PaidTotals } from './orders/order.ts';
import { patience } from './patience.ts';

export type ProviderSession = Stripe.Checkout.Session;

/** Fields of a session that are expanded: they say whether it is paid, and for what. */
export const sessionParts = ['line_items', 'invoice', 'payment_intent', 'subscription'] as const;

/** @returns undefined where the provider does not know this id */
export function readSession(provider: PaymentProvider, sessionId: string): Promise<ProviderSession | undefined> {
  return provider.find((stripe) =>
    stripe.checkout.sessions.retrieve(sessionId, { expand: [...sessionParts] }, patience),
  );
}

export function invoiceOf({ invoice }: ProviderSession): { id: string; receiptUrl: string | undefined } | undefined {
  if (invoice === null) return undefined;
  if (typeof invoice === 'string') return { id: invoice, receiptUrl: undefined };
  return { id: invoice.id, receiptUrl: invoice.hosted_invoice_url ?? undefined };
}

/** The totals of a purchase, as the provider states them. Metadata is ignored: other programs can write it. */
export const totalsOfSession = ({ amount_total: total, total_details: details }: ProviderSession): PaidTotals => ({
  total: total ?? 0,
  discount: details?.amount_discount ?? 0,
  tax: details?.amount_tax ?? 0,
});

/** The part of the totals that was paid with money: the customer's balance may also pay for a first invoice. */
export function paidTotalsOf(session: ProviderSession): PaidTotals {
  const { total, discount, tax } = totalsOfSession(session);
  const { invoice } = session;
  const paid = typeof invoice === 'object' && invoice?.status === 'paid' ? invoice.amount_paid : total;
  return { total: paid, discount, tax: Math.min(Math.max(0, tax), paid) };
}

/**
 * Compares a payment with its order.
 * @param customer the user's customer id at the provider
 * @returns each difference by the name of the field, with both values; normally none
 */
export function differencesOf(
  order: Order,
  session: ProviderSession,
  customer: string | undefined,
): Record<string, { ordered: unknown; paid: unknown }> {
  const items = session.line_items?.data ?? [];
  const [item] = items;
  const mode = order.kind === 'credits' ? 'payment' : 'subscription';
  const { total, discount, tax } = totalsOfSession(session);
  const subtotal = session.amount_subtotal ?? 0;
  const facts: readonly [name: string, ordered: unknown, paid: unknown][] = [
    ['order', order.id, session.client_reference_id],
    ['user', order.userId, session.metadata?.['userId']],
    ['customer', customer, idOf(session.customer)],
    ['livemode', order.livemode, session.livemode],
    ['mode', mode, session.mode],
    ['items', 1, items.length],
    ['quantity', 1, item?.quantity],
    ['price', order.priceId, item?.price?.id],
    ['amount', order.amount, session.amount_subtotal],
    // a discount or tax of the provider explains another total, where the order asked for it
    ['discount', order.allowsCodes ? Math.min(Math.max(0, discount), subtotal) : 0, discount],
    ['tax', order.asksTax ? Math.max(0, tax) : 0, tax],
    ['total', subtotal - discount + tax, total],
    ['currency', order.currency.toLowerCase(), session.currency],
  ];
  const differing = facts.filter(([, ordered, paid]) => ordered !== paid);
  return Object.fromEntries(differing.map(([name, ordered, paid]) => [name, { ordered, paid: paid ?? null }]));
}
