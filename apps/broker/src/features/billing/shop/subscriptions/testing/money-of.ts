import type { Shop } from '../../checkout/testing/shop.ts';

/** Returns what a customer has paid at the provider, less refunds, and their balance there, in minor units. */
export async function moneyOf(
  { stripe }: Pick<Shop, 'stripe'>,
  subscriptionId: string,
): Promise<{ kept: number; balance: number }> {
  const { customer: id } = await stripe.subscriptions.retrieve(subscriptionId);
  const customer = await stripe.customers.retrieve(String(id));
  const { data: charges } = await stripe.charges.list({ customer: String(id), limit: 100 });
  const kept = charges
    .filter(({ paid }) => paid)
    .reduce((sum, { amount, amount_refunded: refunded }) => sum + amount - refunded, 0);
  return { kept, balance: 'balance' in customer ? customer.balance : 0 };
}

/** Returns the plan that a subscription has at the provider. */
export async function planAtProvider({ stripe }: Pick<Shop, 'stripe'>, subscriptionId: string): Promise<string> {
  const { items } = await stripe.subscriptions.retrieve(subscriptionId);
  return String(items.data[0]?.price.product).replace(/^souk_plan_/, '');
}
