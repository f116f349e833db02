import type { ShopParts } from '../shop-parts.ts';
import { reportFoundPayment } from './outcome/report-found-payment.ts';
import type { Fulfil } from './outcome/fulfilment.ts';
import type { Order } from './orders/order.ts';
import { listSessions } from './list-sessions.ts';
import { decideOrder, expireOrders, listUndecided } from './orders/order-store.ts';
import type { ProviderSession } from './read-session.ts';

const minuteMs = 60_000;
/** Younger orders are left to their webhook. With a run every five minutes, paid orders are fulfilled within ten. */
const minAgeMs = 5 * minuteMs;
/** Time for which the request for a session may be repeated. */
const withoutSessionMs = 30 * minuteMs;
const pageSize = 500;
const concurrency = 8;
/** Failures after which the provider counts as unreachable, and the run ends; the next one retries. */
const maxFailures = 20;

export type OrderReport = {
  checked: number;
  /** Paid without our knowledge: a webhook is missing. */
  fulfilled: number;
  expired: number;
  flagged: number;
  /** Paid although it cannot be delivered, such as a second payment, and refunded. */
  refunded: number;
  /** The provider did not answer; the next run retries. */
  unanswered: number;
};

/**
 * Asks the provider about each order that has been open for a while, so that paid orders are fulfilled even if the webhook is
 * missing and the page is closed. Each repair is an alarm: a webhook did not arrive, or its handler fails. Orders are read in
 * pages, here and at the provider, so that thousands cost neither a request each nor memory.
 */
export async function reconcileOrders(
  parts: Pick<ShopParts, 'db' | 'provider' | 'clock' | 'log'> & { fulfil: Fulfil },
): Promise<OrderReport> {
  const { db, provider, fulfil, clock, log } = parts;
  const { livemode } = provider;
  const report: OrderReport = { checked: 0, fulfilled: 0, expired: 0, flagged: 0, refunded: 0, unanswered: 0 };
  const before = new Date(clock.now() - minAgeMs);

  async function check(order: Order, read: ProviderSession | undefined): Promise<void> {
    try {
      report.checked += 1;
      const status = await statusNow(order, read);
      if (status === 'fulfilled' || status === 'flagged' || status === 'refunded') {
        report[status] += 1;
        await reportFoundPayment(parts, order, status);
      } else if (status === 'expired' || status === 'failed') report.expired += 1;
    } catch (error) {
      report.unanswered += 1;
      log.warn({ err: error, orderId: order.id }, 'an order could not be checked; it will be retried');
    }
  }

  async function statusNow(order: Order, read: ProviderSession | undefined): Promise<Order['status']> {
    const payment = order.sessionId === undefined ? undefined : await fulfil(order.sessionId, { read });
    if (payment) return payment.order.status;
    const endsAt =
      order.sessionId === undefined ? order.createdAt.getTime() + withoutSessionMs : order.expiresAt.getTime();
    if (clock.now() < endsAt) return order.status;
    const reason =
      order.sessionId === undefined ? 'never reached the payment provider' : 'unknown to the payment provider';
    await decideOrder(db.query, order.id, ['open'], { status: 'expired', at: new Date(clock.now()), reason });
    return 'expired';
  }

  async function sessionsOf(orders: readonly Order[]): Promise<ReadonlyMap<string, ProviderSession>> {
    try {
      return await listSessions(provider, orders);
    } catch (error) {
      log.warn({ err: error }, 'the checkout sessions could not be listed; each is requested separately');
      return new Map();
    }
  }

  /** Handles abandoned and expired orders, which are most orders, without further requests. @returns the other orders */
  async function skipUnpaid(
    orders: readonly Order[],
    sessions: ReadonlyMap<string, ProviderSession>,
  ): Promise<readonly Order[]> {
    const isOpenWith = ({ status, sessionId, reason }: Order, wanted: 'open' | 'expired') => {
      const session = sessions.get(sessionId ?? '');
      return (
        status === 'open' && reason === undefined && session?.payment_status === 'unpaid' && session.status === wanted
      );
    };
    const expired = orders.filter((order) => isOpenWith(order, 'expired'));
    await expireOrders(
      db.query,
      expired.map(({ id }) => id),
      new Date(clock.now()),
    );
    const others = orders.filter((order) => !isOpenWith(order, 'open') && !isOpenWith(order, 'expired'));
    report.expired += expired.length;
    report.checked += orders.length - others.length;
    return others;
  }

  let after: Order | undefined;
  while (report.unanswered < maxFailures) {
    const page = await listUndecided(db.query, livemode, { before, after, limit: pageSize });
    const sessions = await sessionsOf(page);
    const waiting = (await skipUnpaid(page, sessions)).values();
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        for (const order of waiting) {
          if (report.unanswered >= maxFailures) return;
          await check(order, sessions.get(order.sessionId ?? ''));
        }
      }),
    );
    after = page.at(-1);
    if (page.length < pageSize) break;
  }
  return report;
}
