import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Query } from '#platform/db/database.ts';
import { readOwned } from '../../entitlement/access-store.ts';
import { readPlan } from '../offers/offer-rows.ts';
import { includedRentals, isIncluded } from './included-rentals.ts';

type PlanOrder = {
  userId: string;
  livemode: boolean;
  kind: string;
  itemId: string;
  shownRentals: readonly string[] | undefined;
};

/**
 * Finds a rental that a plan includes, that the user now pays for or is about to, and that the payment page of the plan did not
 * list. undefined: there is none, or it is unknown what the page listed.
 * @param query also of a transaction
 * @returns the id of its server
 */
export async function findUnlistedRental(
  query: Query,
  now: { findServer(id: string): CatalogueServer | undefined; nowMs: number },
  { userId, livemode, kind, itemId, shownRentals }: PlanOrder,
): Promise<string | undefined> {
  if (kind !== 'plan' || shownRentals === undefined) return undefined;
  const plan = await readPlan(query, itemId);
  if (!plan) return undefined;
  const owned = await readOwned(query, livemode, userId);
  const unlisted = unlistedRentals(includedRentals(owned, plan.tier, now), shownRentals);
  if (unlisted[0]) return unlisted[0].serverId;
  const { rows } = await query<{ item_id: string }>(
    `select item_id from checkout_orders where user_id = $1 and livemode = $2 and kind = 'rental' and status = 'paid'`,
    [userId, livemode],
  );
  const soon = rows.map((row) => row.item_id);
  return soon.find((id) => !shownRentals.includes(id) && isIncluded(now.findServer(id), plan.tier));
}

/** Filters the rentals that the page did not list. A rental whose payment failed is paid or ended first. */
export const unlistedRentals = <Rental extends { serverId: string; pastDue: boolean }>(
  included: readonly Rental[],
  shownRentals: readonly string[],
): Rental[] => included.filter(({ serverId, pastDue }) => !pastDue && !shownRentals.includes(serverId));
