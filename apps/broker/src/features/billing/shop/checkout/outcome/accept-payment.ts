import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Query } from '#platform/db/database.ts';
import { grantCredits } from '../../../credits/accounts/change-credits.ts';
import { idOf } from '../../id-of.ts';
import { recordTransaction } from '../../record-transaction.ts';
import {
  hadAccess,
  isWithdrawn,
  keyOf,
  notOffered,
  overlapChanged,
  paidTwice,
  type Order,
  type OrderStatus,
} from '../orders/order.ts';
import { decideOrder, findOrder } from '../orders/order-store.ts';
import { transactionOf } from '../orders/order-transaction.ts';
import { findUnlistedRental } from '../../overlap/find-unlisted-rental.ts';
import { ownedAlready } from '../orders/owned-already.ts';
import { findUnpaid } from '../sync-unpaid.ts';
import { paidTotalsOf, type ProviderSession } from '../read-session.ts';

/** Unpaid as far as we know. A payment counts, however late we hear of it. */
const unpaid: readonly OrderStatus[] = ['open', 'expired', 'failed'];

/** `isUndeployed`: the ordered rental is of a server that is not deployed any more. */
type Facts = { at: Date; isUndeployed: boolean; findServer(id: string): CatalogueServer | undefined };

/**
 * Records that an order was paid, in one transaction and once: credits are granted with it, a rental or a plan follows. Of two
 * payments for one rental, or for plans, the first that we hear of is kept. Payments are refused and refunded after the account
 * was deleted, for items that are no longer offered or that the user has got in another way, and for a plan that includes a
 * rental which they were not asked about.
 * @param query of a transaction
 * @returns the order as it is now
 */
export async function acceptPayment(
  query: Query,
  {
    orderId,
    session,
    transactionId,
    ...facts
  }: Facts & { orderId: string; session: ProviderSession; transactionId: string },
): Promise<Order> {
  const { at } = facts;
  const order = await findOrder(query, { id: orderId }, 'for update');
  if (!order) throw new Error(`order ${orderId} is missing`);
  if (!unpaid.includes(order.status)) return order;
  const { status, reason } = await decide(query, order, facts);
  const subscriptionId = idOf(session.subscription);
  const replaces = status === 'paid' ? await findUnpaid(query, order, subscriptionId) : [];
  const paymentIntentId = idOf(session.payment_intent);
  const paid = paidTotalsOf(session);
  await decideOrder(query, order.id, unpaid, {
    status,
    at,
    subscriptionId,
    paymentIntentId,
    paid,
    replaces,
    ...(reason && { reason }),
  });
  if (order.kind === 'credits' && status !== 'returning') {
    const { userId, livemode, credits, description } = order;
    await grantCredits(query, {
      userId,
      livemode,
      credits,
      source: 'purchased',
      idem: keyOf(order),
      reason: description,
    });
  }
  const recorded = status === 'returning' ? 'refunded' : 'completed';
  await recordTransaction(
    query,
    transactionOf(order, session, { id: transactionId, status: recorded, paymentIntentId, at }),
  );
  return { ...order, status, subscriptionId, paymentIntentId, paid, replaces, reason: reason ?? order.reason };
}

async function decide(
  query: Query,
  order: Order,
  { at, isUndeployed, findServer }: Facts,
): Promise<{ status: 'fulfilled' | 'paid' | 'returning'; reason?: string | undefined }> {
  const wasOwned = order.reason === hadAccess;
  if (isWithdrawn(order) && !wasOwned) return { status: 'returning', reason: order.reason };
  if (isUndeployed) return { status: 'returning', reason: notOffered };
  if (order.kind === 'credits') return { status: 'fulfilled' };
  // serializes what a user gets, including what administrators give
  await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`access:${order.userId}`]);
  if (await isKeptElsewhere(query, order, at)) return { status: 'returning', reason: paidTwice };
  const now = { findServer, nowMs: at.getTime() };
  if (wasOwned || (await ownedAlready(query, now, order))) return { status: 'returning', reason: hadAccess };
  if (await findUnlistedRental(query, now, order)) return { status: 'returning', reason: overlapChanged };
  return { status: 'paid' };
}

/**
 * Whether another order of this user has paid for the same server, or for a plan, and its subscription has not ended. An unpaid
 * subscription does not count: it is replaced.
 */
async function isKeptElsewhere(
  query: Query,
  { id, userId, livemode, kind, itemId }: Order,
  at: Date,
): Promise<boolean> {
  const { rows } = await query(
    `select from checkout_orders o
     where o.user_id = $1 and o.livemode = $2 and o.kind = $3 and (o.kind = 'plan' or o.item_id = $4) and o.id <> $5
       and o.status in ('paid', 'fulfilled')
       and not exists (select from (
           select payment_id, ended_at, period_ends_at, cancelled_at, past_due from subscriptions
           union all select payment_id, ended_at, period_ends_at, cancelled_at, past_due from access_grants) as owned
         where owned.payment_id = o.subscription_id
           and (owned.ended_at is not null or ((owned.cancelled_at is not null or owned.past_due) and owned.period_ends_at <= $6)))
     limit 1`,
    [userId, livemode, kind, itemId, id, at],
  );
  return rows.length > 0;
}
