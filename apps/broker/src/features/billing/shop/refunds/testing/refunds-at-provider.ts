import type { startShop } from '../../checkout/testing/shop.ts';

type Shop = Pick<Awaited<ReturnType<typeof startShop>>, 'stripe'>;

/** Returns the payment intent that paid the newest invoice of a subscription. */
export async function intentOf({ stripe }: Shop, subscription: string): Promise<string> {
  const [invoice] = (await stripe.invoices.list({ subscription, limit: 1 })).data;
  const { data } = await stripe.invoicePayments.list({ invoice: invoice?.id ?? '' });
  return String(data[0]?.payment.payment_intent);
}

/** Returns what the provider refunded of the newest invoice of a subscription, in cents, one entry per refund. */
export async function refundsAtProvider(shop: Shop, subscription: string): Promise<number[]> {
  return refundsOfIntent(shop, await intentOf(shop, subscription));
}

/** Returns the same for any payment. */
export async function refundsOfIntent({ stripe }: Shop, intent: string): Promise<number[]> {
  const { data } = await stripe.refunds.list({ payment_intent: intent });
  return data.map(({ amount }) => amount);
}
