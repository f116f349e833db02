import type { Stripe } from 'stripe';
import { idOf } from '../id-of.ts';
import { offerOfProduct } from '../prices/put-price.ts';
import { providerPages } from '../provider-pages.ts';
import type { ShopParts } from '../shop-parts.ts';
import { reportFoundPayment } from './outcome/report-found-payment.ts';
import type { Fulfil } from './outcome/fulfilment.ts';
import type { OrderStatus } from './orders/order.ts';
import { findOrder, listDecided } from './orders/order-store.ts';
import { paymentStateOf } from './outcome/payment-state.ts';
import { sessionParts, type ProviderSession } from './read-session.ts';

const dayMs = 24 * 60 * 60_000;
/** Maximum age of the sessions that a daily run checks. */
const sessionsMaxAgeMs = 3 * dayMs;
/** The provider retries a failed payment for weeks. */
const failedMaxAgeMs = 60 * dayMs;
const pageSize = 100;
const maxFailed = 50_000;

const unfinished: readonly OrderStatus[] = ['open', 'expired', 'failed', 'paid', 'returning'];

/** Finds payments at the provider that had no effect here. */
export type FindMissed = {
  /** Runs daily over the provider's records. Returns how many payments it had to fulfil or refund. */
  run(): Promise<number>;
  /** Fulfills the order of a subscription that is unknown here. @returns false where no order of ours is for it */
  claim(subscriptionId: string): Promise<boolean>;
};

type MissedParts = Pick<ShopParts, 'db' | 'provider' | 'clock' | 'log'> & { fulfil: Fulfil };

export function createFindMissed(parts: MissedParts): FindMissed {
  return {
    claim: (subscriptionId) => claim(parts, subscriptionId),
    run: async () =>
      (await checkSessions(parts)) + (await checkFailedOrders(parts)) + (await checkSubscriptions(parts)),
  };
}

async function checkSessions(parts: MissedParts): Promise<number> {
  let found = 0;
  const gte = Math.floor((parts.clock.now() - sessionsMaxAgeMs) / 1000);
  const expand = sessionParts.map((part) => `data.${part}`);
  const pages = providerPages((page) =>
    parts.provider.call((stripe) =>
      stripe.checkout.sessions.list({ status: 'complete', created: { gte }, limit: pageSize, expand, ...page }),
    ),
  );
  for await (const sessions of pages)
    for (const session of sessions)
      if (isOurs(session) && paymentStateOf(session) === 'paid' && (await checkSession(parts, session))) found += 1;
  return found;
}

async function checkSession(parts: MissedParts, session: ProviderSession): Promise<boolean> {
  const { db, fulfil, log } = parts;
  const order = await findOrder(db.query, { sessionId: session.id });
  if (order && !unfinished.includes(order.status)) return false;
  const payment = await fulfil(session.id, { read: session });
  if (!payment) {
    log.error({ sessionId: session.id }, 'the payment provider has a payment that belongs to no order');
    return false;
  }
  if (payment.order.status === order?.status) return false;
  await reportFoundPayment(parts, payment.order, payment.order.status);
  return true;
}

async function checkFailedOrders(parts: MissedParts): Promise<number> {
  const { db, provider, clock, fulfil } = parts;
  let found = 0;
  const now = clock.now();
  const span = { after: new Date(now - failedMaxAgeMs), before: new Date(now), limit: maxFailed };
  for (const order of await listDecided(db.query, provider.livemode, { statuses: ['failed'], ...span })) {
    const payment = order.sessionId === undefined ? undefined : await fulfil(order.sessionId);
    if (!payment || payment.order.status === 'failed') continue;
    await reportFoundPayment(parts, order, payment.order.status);
    found += 1;
  }
  return found;
}

async function checkSubscriptions(parts: MissedParts): Promise<number> {
  let found = 0;
  const pages = providerPages((page) =>
    parts.provider.call((stripe) => stripe.subscriptions.list({ limit: pageSize, ...page })),
  );
  for await (const subscriptions of pages)
    for (const id of await findUnknown(parts, subscriptions.filter(hasOurProduct))) {
      if (await claim(parts, id)) found += 1;
      else parts.log.error({ subscription: id }, 'the payment provider has a subscription that no user here has');
    }
  return found;
}

async function findUnknown({ db }: MissedParts, subscriptions: readonly Stripe.Subscription[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select wanted as id from unnest($1::text[]) wanted where not exists (
       select from subscriptions s where s.payment_id = wanted union all
       select from access_grants g where g.payment_id = wanted union all
       select from checkout_orders o where o.subscription_id = wanted and o.status in ('flagged', 'returning', 'refunded', 'closed'))`,
    [subscriptions.map(({ id }) => id)],
  );
  return rows.map((row) => row.id);
}

async function claim({ provider, fulfil }: MissedParts, subscription: string): Promise<boolean> {
  const { data } = await provider.call((stripe) => stripe.checkout.sessions.list({ subscription, limit: 1 }));
  const [session] = data;
  return session !== undefined && (await fulfil(session.id)) !== undefined;
}

function hasOurProduct({ items }: Stripe.Subscription): boolean {
  const product = idOf(items.data[0]?.price.product);
  return product !== undefined && offerOfProduct(product) !== undefined;
}

/** Another program may use the provider's account too: our sessions carry our order's id. */
const isOurs = ({ metadata, client_reference_id: reference }: ProviderSession): boolean =>
  reference !== null && metadata?.['orderId'] === reference;
