import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { offerOfProduct } from '../prices/put-price.ts';
import type { AlarmOfPayment } from './outcome/alarm-of-payment.ts';
import type { Fulfil } from './outcome/fulfilment.ts';
import type { OrderStatus } from './orders/order.ts';
import { findOrder, listDecided } from './orders/order-store.ts';
import { paymentStateOf } from './outcome/payment-state.ts';
import { sessionParts, type ProviderSession } from './read-session.ts';

const dayMs = 24 * 60 * 60_000;
/** A run a day: what is older was looked at before. */
const sessionsOfMs = 3 * dayMs;
/** The provider collects a payment that has failed for weeks. */
const failedForMs = 60 * dayMs;
const pageSize = 100;
const mostPages = 500;

const unfinished: readonly OrderStatus[] = ['open', 'expired', 'failed', 'paid', 'returning'];

/** Looks for money that the provider has and that nothing came of here. */
export type FindMissed = {
  /** Once a day, from what the provider has. Answers how many payments it had to give for, or back. */
  run(): Promise<number>;
  /**
   * A subscription that we know nothing of: its order, if it has one, is brought to its end.
   * @returns false where it is of no order of ours
   */
  claim(subscriptionId: string): Promise<boolean>;
};

export function createFindMissed({
  db,
  provider,
  fulfil,
  alarm,
  clock,
  log,
}: {
  db: Database;
  provider: PaymentProvider;
  fulfil: Fulfil;
  /** Tells the operator of a payment that was found. */
  alarm: AlarmOfPayment;
  clock: Clock;
  log: Log;
}): FindMissed {
  const { livemode } = provider;

  async function look(session: ProviderSession): Promise<boolean> {
    const order = await findOrder(db.query, { sessionId: session.id });
    if (order && !unfinished.includes(order.status)) return false;
    const payment = await fulfil(session.id, { read: session });
    if (!payment) {
      log.error({ sessionId: session.id }, 'the payment provider has a payment that is of no order');
      return false;
    }
    if (payment.order.status === order?.status) return false;
    await alarm(payment.order, payment.order.status);
    return true;
  }

  async function lookAtSessions(): Promise<number> {
    let found = 0;
    const gte = Math.floor((clock.now() - sessionsOfMs) / 1000);
    const expand = sessionParts.map((part) => `data.${part}`);
    let after: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const { data, has_more: hasMore } = await provider.call((stripe) =>
        stripe.checkout.sessions.list({
          status: 'complete',
          created: { gte },
          limit: pageSize,
          expand,
          ...(after !== undefined && { starting_after: after }),
        }),
      );
      for (const session of data)
        if (isOurs(session) && paymentStateOf(session) === 'paid' && (await look(session))) found += 1;
      after = data.at(-1)?.id;
      if (!hasMore || after === undefined) break;
    }
    return found;
  }

  async function lookAtFailed(): Promise<number> {
    let found = 0;
    const now = clock.now();
    const span = { after: new Date(now - failedForMs), before: new Date(now), limit: mostPages * pageSize };
    for (const order of await listDecided(db.query, livemode, { statuses: ['failed'], ...span })) {
      const payment = order.sessionId === undefined ? undefined : await fulfil(order.sessionId);
      if (!payment || payment.order.status === 'failed') continue;
      await alarm(order, payment.order.status);
      found += 1;
    }
    return found;
  }

  async function lookAtSubscriptions(): Promise<number> {
    let found = 0;
    let after: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const { data, has_more: hasMore } = await provider.call((stripe) =>
        stripe.subscriptions.list({ limit: pageSize, ...(after !== undefined && { starting_after: after }) }),
      );
      const ours = data.filter(({ items }) => {
        const product = items.data[0]?.price.product;
        return (
          product !== undefined && offerOfProduct(typeof product === 'string' ? product : product.id) !== undefined
        );
      });
      for (const id of await unknownOf(ours.map((one) => one.id))) {
        if (await claim(id)) found += 1;
        else log.error({ subscription: id }, 'the payment provider has a subscription that nobody here has');
      }
      after = data.at(-1)?.id;
      if (!hasMore || after === undefined) break;
    }
    return found;
  }

  async function unknownOf(ids: readonly string[]): Promise<string[]> {
    const { rows } = await db.query<{ id: string }>(
      `select wanted as id from unnest($1::text[]) wanted where not exists (
         select from subscriptions s where s.payment_id = wanted union all
         select from access_grants g where g.payment_id = wanted union all
         select from checkout_orders o where o.subscription_id = wanted and o.status in ('flagged', 'returning', 'refunded', 'closed'))`,
      [ids],
    );
    return rows.map((row) => row.id);
  }

  async function claim(subscription: string): Promise<boolean> {
    const { data } = await provider.call((stripe) => stripe.checkout.sessions.list({ subscription, limit: 1 }));
    const [session] = data;
    if (!session) return false;
    const payment = await fulfil(session.id);
    return payment !== undefined;
  }

  return {
    claim,
    run: async () => (await lookAtSessions()) + (await lookAtFailed()) + (await lookAtSubscriptions()),
  };
}

/** Another program may use the account of the provider too: our sessions carry our order's id. */
const isOurs = ({ metadata, client_reference_id: reference }: ProviderSession): boolean =>
  reference !== null && metadata?.['orderId'] === reference;
