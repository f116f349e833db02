import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Query } from '#platform/db/database.ts';
import { createAccessStore } from '../../entitlement/access-store.ts';
import type { Order } from '../checkout/orders/order.ts';
import { readPlan } from '../subscriptions/subscription-store.ts';
import { includedRentals, isIncluded } from './included-rentals.ts';

/**
 * The server of a rental that the person pays for by now, or is about to, and that they were not told of when they began to pay for a
 * plan that includes it. undefined: there is none, or it is not known what they were told.
 * @param query also of a transaction
 */
export async function findUntold(
  query: Query,
  given: { findServer(id: string): CatalogueServer | undefined; nowMs: number },
  {
    userId,
    livemode,
    kind,
    itemId,
    shownRentals,
  }: Pick<Order, 'userId' | 'livemode' | 'kind' | 'itemId' | 'shownRentals'>,
): Promise<string | undefined> {
  if (kind !== 'plan' || shownRentals === undefined) return undefined;
  const plan = await readPlan(query, itemId);
  if (!plan) return undefined;
  const owned = await createAccessStore({ query }, livemode).read(userId);
  const untold = untoldRentals(includedRentals(owned, plan.tier, given), shownRentals);
  if (untold[0]) return untold[0].serverId;
  const { rows } = await query<{ item_id: string }>(
    `select item_id from checkout_orders where user_id = $1 and livemode = $2 and kind = 'rental' and status = 'paid'`,
    [userId, livemode],
  );
  const soon = rows.map((row) => row.item_id);
  return soon.find((id) => !shownRentals.includes(id) && isIncluded(given.findServer(id), plan.tier));
}

/** Of the rentals that a plan includes, those that the person was not told of. One whose payment failed is paid or ended first. */
export const untoldRentals = <Rental extends { serverId: string; pastDue: boolean }>(
  included: readonly Rental[],
  shownRentals: readonly string[],
): Rental[] => included.filter(({ serverId, pastDue }) => !pastDue && !shownRentals.includes(serverId));
