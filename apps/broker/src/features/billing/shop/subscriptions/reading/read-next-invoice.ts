import type { Stripe } from 'stripe';
import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { ProviderSubscription } from './read-subscription.ts';

/** What the next invoice of a subscription comes to, in minor units: the subtotal, less the discount, with the tax. */
export type NextInvoice = { subtotal: number; discount: number; tax: number };

/**
 * Asks the provider what the next invoice of a subscription comes to, where tax or a discount makes it another amount than its
 * price. Of one that is canceled: what it would come to if it were resumed.
 * @returns undefined where neither does, or the provider has no such invoice
 * @throws SoukError payments_unavailable
 */
export async function readNextInvoice(
  provider: PaymentProvider,
  { id, endedAt, isTaxed, isDiscounted, cancelledAt }: ProviderSubscription,
): Promise<NextInvoice | undefined> {
  if (endedAt || !(isTaxed || isDiscounted)) return undefined;
  const resumed = cancelledAt && { subscription_details: { cancel_at_period_end: false } };
  try {
    return totalsOfInvoice(
      await provider.call((stripe) => stripe.invoices.createPreview({ subscription: id, ...resumed })),
    );
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return undefined;
  }
}

type InvoiceTotals = Pick<Stripe.Invoice, 'subtotal' | 'total_discount_amounts' | 'total_taxes'>;

/** Reads the discount that an invoice takes off, and the tax that it adds. */
export function totalsOfInvoice({
  subtotal,
  total_discount_amounts: discounts,
  total_taxes: taxes,
}: InvoiceTotals): NextInvoice {
  return { subtotal, discount: sumOf(discounts), tax: sumOf(taxes) };
}

const sumOf = (amounts: readonly { amount: number }[] | null): number =>
  (amounts ?? []).reduce((sum, { amount }) => sum + amount, 0);
