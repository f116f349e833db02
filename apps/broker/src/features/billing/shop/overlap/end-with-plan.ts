import type { Tier } from '@souk/contract/tiers.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { readOwned } from '../../entitlement/access-store.ts';
import { isRunning } from '../../entitlement/owned.ts';
import { unlistedRentals } from './find-unlisted-rental.ts';
import { includedRentals } from './included-rentals.ts';

type Person = { userId: string; livemode: boolean };
export type ChosenRentals = {
  endRentals?: readonly string[] | undefined;
  shownRentals?: readonly string[] | undefined;
};
type Plan = { planId: string; name: string; tier: Tier };

/**
 * Stores which rentals end with their period once a plan that includes them is paid: exactly those that the user named. Choices
 * of an earlier attempt are dropped.
 * @param chosen.endRentals servers that the user rents; a rental that has ended meanwhile is left out
 * @param chosen.shownRentals the user's rentals that the page said the plan includes; undefined: unknown
 * @throws SoukError invalid_request where the plan does not include one, overlap_changed where the page did not list another
 */
export async function endRentalsWithPlan(
  query: Query,
  now: { findServer(id: string): CatalogueServer | undefined; nowMs: number },
  { userId, livemode }: Person,
  plan: Plan,
  { endRentals: serverIds = [], shownRentals }: ChosenRentals,
): Promise<void> {
  const owned = await readOwned(query, livemode, userId);
  const included = includedRentals(owned, plan.tier, now);
  const refused = serverIds.find(
    (id) =>
      !included.some(({ serverId }) => serverId === id) &&
      owned.servers.some((one) => one.serverId === id && isRunning(one, now.nowMs) && !one.isCancelled),
  );
  if (refused !== undefined)
    throw new SoukError('invalid_request', {
      message: `endRentals: the ${plan.name} plan does not include ${refused}`,
    });
  const [unlisted] = shownRentals ? unlistedRentals(included, shownRentals) : [];
  if (unlisted) {
    const name = now.findServer(unlisted.serverId)?.manifest.name ?? unlisted.serverId;
    throw new SoukError('overlap_changed', {
      message: `You now rent ${name}, which ${plan.name} includes. Please check your choices before you pay.`,
    });
  }
  const ending = included.filter(({ serverId }) => serverIds.includes(serverId));
  await query(
    `update access_grants set ends_with_plan = case when id = any($4) then $3 end
     where user_id = $1 and livemode = $2 and kind = 'rental' and ended_at is null
       and (id = any($4) or ends_with_plan is not null)`,
    [userId, livemode, plan.planId, ending.map(({ id }) => id)],
  );
}

/**
 * Takes the rentals that end with this plan, now that it is paid.
 * @param query of the transaction that writes the plan
 * @returns their subscriptions at the payment provider, which are to end with their period
 */
export async function takeRentalsOfPlan(query: Query, { userId, livemode }: Person, planId: string): Promise<string[]> {
  const { rows } = await query<{ payment_id: string }>(
    `update access_grants set ends_with_plan = null
     where user_id = $1 and livemode = $2 and ends_with_plan = $3 and ended_at is null
     returning payment_id`,
    [userId, livemode, planId],
  );
  return rows.map((row) => row.payment_id);
}
