import { Stripe } from 'stripe';
import type { StripeAccess } from '#adapters/stripe/stripe-sandbox.ts';

/** Connects the SDK to the stand-in. */
export function connectStripe({ secretKey, host, port, protocol }: StripeAccess): Stripe {
  return new Stripe(secretKey, { host, port, protocol, telemetry: false, maxNetworkRetries: 0 });
}

/** Opens a checkout session for an item of 10 dollars. */
export async function openCheckout(
  stripe: Stripe,
  publicUrl: string,
  mode: 'payment' | 'subscription' = 'payment',
): Promise<Stripe.Checkout.Session> {
  const product = await stripe.products.create({ name: 'Credits' });
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 1000,
    ...(mode === 'subscription' && { recurring: { interval: 'month' } }),
  });
  return stripe.checkout.sessions.create({
    mode,
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: `${publicUrl}/payment/result?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${publicUrl}/payment/result?canceled=true`,
  });
}
