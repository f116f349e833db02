import { makeOnce, isOfMissingCustomer, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import type { Customers } from './customers.ts';
import type { OfferFinder, Wanted } from './find-offer.ts';
import type { Fulfil } from './fulfilment.ts';
import { openOrder } from './open-order.ts';
import type { Order, Ordered, OrderKind } from './order.ts';
import { saveSession } from './order-store.ts';
import { ownedAlready } from './owned-already.ts';
import { patience, withPatience } from './patience.ts';
import { returnAddresses } from './return-addresses.ts';

/** Of one person; each asks the provider for something. */
const startsPerMinute = 30;

export type StartCheckout = (
  userId: string,
  wanted: Wanted,
  returnTo: { successUrl?: string | undefined; cancelUrl?: string | undefined },
) => Promise<{ checkoutUrl: string; sessionId: string }>;

/**
 * Begins a payment: writes the order, then asks the provider for its page. After a failure the same request may be made
 * again; it leads to the same order, and the provider answers it once.
 */
export function createStartCheckout(given: {
  query: Query;
  provider: PaymentProvider;
  publicUrl: string;
  finder: OfferFinder;
  customers: Customers;
  fulfil: Fulfil;
  findServer(id: string): CatalogueServer | undefined;
  emailOf(userId: string): Promise<string | undefined>;
  kinds: readonly OrderKind[];
  paymentMethods: readonly string[];
  uuid: () => string;
  clock: Clock;
}): StartCheckout {
  const { query, provider, publicUrl, customers, clock } = given;
  const limit = createRateLimit(startsPerMinute, clock);

  async function refuseOwned(userId: string, { kind, itemId }: Ordered): Promise<void> {
    const order = { userId, livemode: provider.livemode, kind, itemId };
    const already = await ownedAlready(query, { findServer: given.findServer, nowMs: clock.now() }, order);
    if (already)
      throw new SoukError('has_access', {
        message: `${already.message} Manage it here: ${publicUrl}/dashboard?tab=${already.tab}`,
      });
  }

  async function begin(userId: string, wanted: Wanted, addresses: ReturnType<typeof returnAddresses>) {
    const ordered = await given.finder.find(wanted);
    if (!given.kinds.includes(ordered.kind)) throw new SoukError('payments_unavailable');
    await refuseOwned(userId, ordered);
    const email = await given.emailOf(userId);
    const customer = await customers.ensure(userId, email);
    const order = await openOrder(given, { ...ordered, ...addresses, userId });
    if (order.sessionId !== undefined && order.checkoutUrl !== undefined)
      return { checkoutUrl: order.checkoutUrl, sessionId: order.sessionId };
    const create = (of: string) => createSession(provider, order, of, given.paymentMethods);
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
    return withPatience(begin(userId, wanted, addresses));
  };
}

/** The order's id and its customer are the request's key: however often it is sent, one session comes of it. */
function createSession(provider: PaymentProvider, order: Order, customer: string, methods: readonly string[]) {
  const { id, userId, kind, itemId, priceId } = order;
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
          // in the currency of the offer, whatever the buyer's own is
          adaptive_pricing: { enabled: false },
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
            : { mode: 'subscription' as const, subscription_data: { metadata } }),
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
