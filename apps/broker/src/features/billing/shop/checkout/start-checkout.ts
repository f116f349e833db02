import type { Stripe } from 'stripe';
import { monthlyText } from '@souk/contract/billing/currencies.ts';
import { isOfMissingCustomer, makeOnce, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { SoukError } from '#platform/errors.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import type { PurchaseLock } from '../changes/purchase-locks.ts';
import { readPlan } from '../offers/offer-rows.ts';
import { endRentalsWithPlan } from '../overlap/end-with-plan.ts';
import type { ShopParts } from '../shop-parts.ts';
import type { Customers } from './customers.ts';
import { findOffer, type Wanted, type WantedPlan } from './orders/find-offer.ts';
import type { Fulfil } from './outcome/fulfilment.ts';
import { openOrder } from './orders/open-order.ts';
import type { Order, Ordered } from './orders/order.ts';
import { saveSession } from './orders/order-store.ts';
import { ownedAlready } from './orders/owned-already.ts';
import { patience, withPatience } from './patience.ts';
import { returnAddresses } from './return-addresses.ts';
import { syncUnpaid } from './sync-unpaid.ts';

/** Checkouts that one user may start per minute; each makes requests to the provider. */
const startsPerMinute = 30;

export type StartCheckout = (
  userId: string,
  wanted: Wanted,
  returnTo: { successUrl?: string | undefined; cancelUrl?: string | undefined },
) => Promise<{ checkoutUrl: string; sessionId: string }>;

/**
 * Starts a payment: writes the order, then asks the provider for its page. After a failure the same request may be repeated:
 * it leads to the same order, and the provider answers with the same page.
 */
export function createStartCheckout(parts: ShopParts & { customers: Customers; fulfil: Fulfil }): StartCheckout {
  const { db, provider, publicUrl, customers, clock } = parts;
  const { query } = db;
  const limit = createRateLimit(startsPerMinute, clock, undefined, db.brokers);

  async function refuseOwned(userId: string, { kind, itemId }: Pick<Ordered, 'kind' | 'itemId'>): Promise<void> {
    const order = { userId, livemode: provider.livemode, kind, itemId };
    const already = await ownedAlready(query, { findServer: parts.findServer, nowMs: clock.now() }, order);
    if (already)
      throw new SoukError('has_access', {
        message: `${already.message} Manage it here: ${publicUrl}/dashboard?tab=${already.tab}`,
      });
  }

  /** Runs before the user gets the payment page, because they may have paid before the next line runs. */
  async function recordEndingRentals(userId: string, { planId, ...chosen }: WantedPlan): Promise<void> {
    const plan = await readPlan(query, planId);
    const now = { findServer: parts.findServer, nowMs: clock.now() };
    if (plan) await endRentalsWithPlan(query, now, { userId, livemode: provider.livemode }, plan, chosen);
  }

  async function begin(
    userId: string,
    wanted: Wanted,
    addresses: ReturnType<typeof returnAddresses>,
    lock?: PurchaseLock,
  ) {
    const ordered = await findOffer(parts, wanted);
    // an unpaid subscription may have been paid just now
    if (lock) await syncUnpaid(parts, { ...ordered, userId, livemode: provider.livemode }, { lock });
    await refuseOwned(userId, ordered);
    if (wanted.type === 'subscription') await recordEndingRentals(userId, wanted);
    const email = await parts.emailOf(userId);
    const customer = await customers.ensure(userId, email);
    const shownRentals = wanted.type === 'subscription' ? wanted.shownRentals : undefined;
    const fulfil: Fulfil = (sessionId, options) => parts.fulfil(sessionId, { ...options, ...(lock && { lock }) });
    const order = await openOrder(
      { ...parts, fulfil },
      { ...ordered, ...parts.options, ...addresses, userId, shownRentals },
    );
    if (order.sessionId !== undefined && order.checkoutUrl !== undefined)
      return { checkoutUrl: order.checkoutUrl, sessionId: order.sessionId };
    const create = (of: string) => createSession(provider, order, of, parts.paymentMethods);
    const session = await create(customer).catch(async (error: unknown) => {
      if (!isOfMissingCustomer(error)) throw error;
      return create(await customers.replace(userId, customer, email));
    });
    await saveSession(query, order.id, session);
    if (session.url === null) throw new SoukError('payments_unavailable');
    return { checkoutUrl: session.url, sessionId: session.id };
  }

  return async (userId, wanted, returnTo) => {
    const addresses = returnAddresses(publicUrl, returnTo);
    if (!limit.take(userId)) throw new SoukError('rate_limited');
    // credits change no subscription
    if (wanted.type !== 'subscription' && wanted.type !== 'rental')
      return withPatience(begin(userId, wanted, addresses));
    return withPatience(parts.locks.run(userId, (lock) => begin(userId, wanted, addresses, lock)));
  };
}

/** The order's id and the customer are the idempotency key: repeated requests create one session. */
function createSession(provider: PaymentProvider, order: Order, customer: string, methods: readonly string[]) {
  const { id, userId, kind, itemId, priceId, amount, currency } = order;
  const metadata = { orderId: id, userId, kind, itemId };
  return makeOnce(
    provider,
    `order:${id}:${customer}`,
    (stripe, idempotencyKey) =>
      stripe.checkout.sessions.create(
        {
          line_items: [{ price: priceId, quantity: 1 }],
          customer,
          allowed_payment_method_types: [...methods],
          // in the currency of the offer, not the buyer's own
          adaptive_pricing: { enabled: false },
          ...taxOf(order),
          ...(order.allowsCodes && { allow_promotion_codes: true }),
          client_reference_id: id,
          metadata,
          success_url: order.successUrl,
          cancel_url: order.cancelUrl,
          expires_at: order.expiresAt.getTime() / 1000,
          ...(kind === 'credits'
            ? {
                mode: 'payment' as const,
                payment_intent_data: { metadata },
                invoice_creation: { enabled: true, invoice_data: { metadata } },
              }
            : {
                mode: 'subscription' as const,
                subscription_data: { metadata },
                custom_text: {
                  submit: {
                    message: `Renews at ${monthlyText(amount, currency)}${order.asksTax ? ' plus tax' : ''} until you cancel. You can cancel at any time in your dashboard, under Billing.`,
                  },
                },
              }),
        },
        { ...patience, idempotencyKey },
      ),
    async () => {
      const { data } = await provider.call((stripe) =>
        stripe.checkout.sessions.list({ customer, limit: 100 }, patience),
      );
      return data.find(({ client_reference_id: reference }) => reference === id);
    },
  );
}

/** The address and the name that the customer types on the page replace those that the provider has. */
const taxOf = ({ asksTax }: Order): Stripe.Checkout.SessionCreateParams =>
  asksTax
    ? {
        automatic_tax: { enabled: true },
        billing_address_collection: 'required',
        tax_id_collection: { enabled: true },
        customer_update: { address: 'auto', name: 'auto' },
      }
    : {};
