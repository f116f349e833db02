import type { Query } from '#platform/db/database.ts';
import type { PurchaseLock } from '../changes/purchase-locks.ts';
import type { ShopParts } from '../shop-parts.ts';
import type { Order } from './orders/order.ts';

type Wanted = Pick<Order, 'userId' | 'livemode' | 'kind' | 'itemId'>;

/** Finds unpaid subscriptions of the kind that a user buys again: plans, or rentals of the same server. */
export async function findUnpaid(
  query: Query,
  { userId, livemode, kind, itemId }: Wanted,
  but: string | undefined,
): Promise<string[]> {
  if (kind === 'credits') return [];
  const { rows } = await query<{ payment_id: string }>(
    `select payment_id from ${kind === 'plan' ? 'subscriptions' : 'access_grants'}
     where user_id = $1 and livemode = $2 and source = 'payment' and payment_id <> $3 and past_due and ended_at is null
       and ${kind === 'plan' ? '$4::text is not null' : 'server_id = $4'}
     union select subscription_id from checkout_orders
     where user_id = $1 and livemode = $2 and kind = $5 and status = 'failed' and subscription_id <> $3
       and ($5 = 'plan' or item_id = $4)`,
    [userId, livemode, but ?? '', itemId, kind],
  );
  return rows.map((row) => row.payment_id);
}

/**
 * Syncs the subscriptions of a user that are unpaid as far as we know, before they are replaced: they may have been paid just
 * now.
 * @throws SoukError payments_unavailable
 */
export async function syncUnpaid(
  { db, sync }: Pick<ShopParts, 'db' | 'sync'>,
  wanted: Wanted,
  { but, lock }: { but?: string | undefined; lock: PurchaseLock },
): Promise<void> {
  for (const id of await findUnpaid(db.query, wanted, but)) await sync(id, lock);
}
