import type { Stripe } from 'stripe';
import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { ProviderSubscription } from './read-subscription.ts';

/** Totals of the next invoice of a subscription, in minor units: the subtotal less the discount plus the tax. */
export type NextInvoice = { subtotal: number; discount: number; tax: number };

/**
 * Asks the provider for the totals of a subscription's next invoice, where tax or a discount makes it differ from its price.
 * For a canceled subscription: what it would be if it were resumed.
 * @returns undefined where neither applies, or the provider has no such invoice
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

export function totalsOfInvoice({
  subtotal,
  total_discount_amounts: discounts,
  total_taxes: taxes,
}: InvoiceTotals): NextInvoice {
  return { subtotal, discount: sumOf(discounts), tax: sumOf(taxes) };
}

const sumOf = (amounts: readonly { amount: number }[] | null): number =>
  (amounts ?? []).reduce((sum, { amount }) => sum + amount, 0);
