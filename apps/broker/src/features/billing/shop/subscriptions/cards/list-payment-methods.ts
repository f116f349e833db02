import type { Stripe } from 'stripe';
import type { PaymentMethod } from '@souk/contract/billing/payments.ts';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { ShopParts } from '../../shop-parts.ts';
import { presentPaymentMethod } from './present-payment-method.ts';

/** Limit of subscriptions that one request to the provider lists, the newest first. */
const maxSubscriptions = 100;

/**
 * Lists the payment method of each of a user's plans and rentals, by its id here. Empty where they have never paid.
 * @throws SoukError payments_unavailable
 */
export async function listPaymentMethods(
  { provider, db: { query } }: Pick<ShopParts, 'provider' | 'db'>,
  userId: string,
): Promise<{ pays: string; method: PaymentMethod }[]> {
  const { rows: customers } = await query<{ customer_id: string; card_id: string | null }>(
    'select customer_id, card_id from payment_customers where user_id = $1 and livemode = $2',
    [userId, provider.livemode],
  );
  const [known] = customers;
  if (!known) return [];
  const [chosen, { data }] = await Promise.all([
    findChosen(provider, known.customer_id),
    provider.call((stripe) =>
      stripe.subscriptions.list({
        customer: known.customer_id,
        limit: maxSubscriptions,
        expand: ['data.default_payment_method'],
      }),
    ),
  ]);
  // a new choice that is not applied yet pays for all from the next charge on (follow-cards.ts)
  const isNew = chosen !== undefined && chosen.id !== known.card_id;
  const { rows } = await query<{ id: string; payment_id: string }>(
    `select id, payment_id from subscriptions where user_id = $1 and payment_id = any($2) and ended_at is null
       union all
       select id, payment_id from access_grants where user_id = $1 and payment_id = any($2) and ended_at is null`,
    [userId, data.map(({ id }) => id)],
  );
  const ids = new Map(rows.map((row) => [row.payment_id, row.id]));
  return data.flatMap(({ id, default_payment_method: own }) => {
    const pays = ids.get(id);
    const method = isNew || typeof own !== 'object' || own === null ? chosen : own;
    return pays !== undefined && method ? [{ pays, method: presentPaymentMethod(method) }] : [];
  });
}

/** Finds what the user chose in the provider's portal; it pays for subscriptions without a method of their own. */
async function findChosen(provider: PaymentProvider, customerId: string): Promise<Stripe.PaymentMethod | undefined> {
  const customer = await provider.find((stripe) =>
    stripe.customers.retrieve(customerId, { expand: ['invoice_settings.default_payment_method'] }),
  );
  if (!customer || !('invoice_settings' in customer)) return undefined;
  const method = customer.invoice_settings.default_payment_method;
  return typeof method === 'object' ? (method ?? undefined) : undefined;
}
