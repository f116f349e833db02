import { writeAudit } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import type { Fulfil } from './fulfil.ts';
import type { Order } from './order.ts';
import { decideOrder, listUndecided } from './order-store.ts';

const minuteMs = 60_000;
/** Younger ones are left to their webhook. With a run every five minutes, what was paid is there within ten. */
const leftAloneMs = 5 * minuteMs;
/** A request for a session may be repeated for this long. */
const withoutSessionMs = 30 * minuteMs;
const pageSize = 200;
const atOnce = 8;
/** The provider is out of reach: the next run asks again. */
const maxFailures = 20;

/** What a run has found. Counts of orders. */
export type OrderReport = {
  checked: number;
  /** Paid, and unknown to us until now: a webhook is missing. */
  fulfilled: number;
  expired: number;
  flagged: number;
  /** Paid twice, and given back. */
  refunded: number;
  /** Could not be asked about; the next run asks again. */
  unanswered: number;
};

/**
 * Asks the provider about each order that is open for a while, so that what was paid is there, without a webhook and with
 * the page closed. What it has to repair is an alarm: a webhook did not come, or its handler fails.
 */
export async function reconcileOrders(given: {
  db: Database;
  livemode: boolean;
  fulfil: Fulfil;
  clock: Clock;
  log: Log;
}): Promise<OrderReport> {
  const { db, livemode, fulfil, clock, log } = given;
  const report: OrderReport = { checked: 0, fulfilled: 0, expired: 0, flagged: 0, refunded: 0, unanswered: 0 };
  const before = new Date(clock.now() - leftAloneMs);

  async function check(order: Order): Promise<void> {
    try {
      report.checked += 1;
      const status = await statusNow(order);
      if (status === 'fulfilled' || status === 'flagged' || status === 'refunded') {
        report[status] += 1;
        await alarm(order, status);
      } else if (status === 'expired' || status === 'failed') report.expired += 1;
    } catch (error) {
      report.unanswered += 1;
      log.warn({ err: error, orderId: order.id }, 'an order could not be checked; it is tried again');
    }
  }

  async function statusNow(order: Order): Promise<Order['status']> {
    const payment = order.sessionId === undefined ? undefined : await fulfil(order.sessionId);
    if (payment) return payment.order.status;
    const endsAt =
      order.sessionId === undefined ? order.createdAt.getTime() + withoutSessionMs : order.expiresAt.getTime();
    if (clock.now() < endsAt) return order.status;
    const reason =
      order.sessionId === undefined ? 'never reached the payment provider' : 'unknown to the payment provider';
    await decideOrder(db.query, order.id, ['open'], { status: 'expired', at: new Date(clock.now()), reason });
    return 'expired';
  }

  async function alarm({ id, userId, sessionId }: Order, status: string): Promise<void> {
    const details = { sessionId, userId, status };
    log.error(
      { orderId: id, ...details },
      'a payment was found by the reconciler: its webhook did not arrive, or failed',
    );
    const entry = { actorId: undefined, action: 'payment.found-by-reconciler', subject: id, details };
    await writeAudit(db.kysely, entry, new Date(clock.now()));
  }

  let after: Order | undefined;
  while (report.unanswered < maxFailures) {
    const page = await listUndecided(db.query, livemode, { before, after, limit: pageSize });
    const waiting = page.values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const order of waiting) {
          if (report.unanswered >= maxFailures) return;
          await check(order);
        }
      }),
    );
    after = page.at(-1);
    if (page.length < pageSize) break;
  }
  return report;
}
