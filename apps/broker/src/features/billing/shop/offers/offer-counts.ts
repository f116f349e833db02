import type { Query } from '#platform/db/database.ts';
import { isRunningSql, runningValues } from '../../entitlement/running-sql.ts';

/** Price and credits of a subscriber's renewals; null: not read from the provider yet. */
export type Terms = { amount: number | null; currency: string | null; monthlyCredits: number | null };

/** `ending`: subscribers whose plan ends with the period that is paid. */
export type PriceGroup = Terms & { planId: string; subscribers: number; ending: number };

/** Paid plans until they end, as in the Overview's sums (administration/figures/tables.ts). */
const paidFor = `ended_at is null and source = 'payment' and livemode = $1`;

/**
 * Counts subscribers by what they pay and the plan of their next renewal, the largest group first. A cancelled plan counts
 * until its paid period ends.
 * @param planId undefined: all plans
 */
export async function countByPrice(query: Query, livemode: boolean, planId?: string): Promise<PriceGroup[]> {
  const { rows } = await query<PriceGroup>(
    `select coalesce(next_plan_id, s.plan_id) as "planId", s.price_amount as amount, s.price_currency as currency,
       p.monthly_credits as "monthlyCredits", count(*)::int as subscribers, count(cancelled_at)::int as ending
     from subscriptions s left join plan_prices p using (price_id)
     where ${paidFor} and ($2::text is null or coalesce(next_plan_id, s.plan_id) = $2)
     group by 1, 2, 3, 4 order by subscribers desc, amount`,
    [livemode, planId ?? null],
  );
  return rows;
}

/** Filters the subscribers who will pay again: only they are affected by a change of the price, or a move. */
export function renewingOf(groups: readonly PriceGroup[]): PriceGroup[] {
  return groups
    .map((group) => ({ ...group, subscribers: group.subscribers - group.ending, ending: 0 }))
    .filter(({ subscribers }) => subscribers > 0);
}

/** Whether a group pays and gets what is offered now. A group with unknown terms counts as current. */
export function isCurrent({ amount, currency, monthlyCredits }: Terms, offered: Terms): boolean {
  if (amount === null) return true;
  return amount === offered.amount && currency === offered.currency && monthlyCredits === offered.monthlyCredits;
}

const running = isRunningSql({ now: '$3', renewedSince: '$4' });

/** Counts the users who have a plan, including plans given by an administrator and cancelled plans until their period ends. */
export async function countHolders(
  query: Query,
  { livemode, nowMs }: { livemode: boolean; nowMs: number },
  planId: string,
): Promise<number> {
  const { rows } = await query<{ holders: number }>(
    `select count(*)::int as holders from subscriptions
     where livemode = $1 and (plan_id = $2 or next_plan_id = $2) and ${running}`,
    [livemode, planId, ...runningValues(nowMs)],
  );
  return rows[0]?.holders ?? 0;
}

export async function countOpenPages(
  query: Query,
  livemode: boolean,
  kind: 'plan' | 'package',
  offerId: string,
): Promise<number> {
  const { rows } = await query<{ pages: number }>(
    `select count(*)::int as pages from checkout_orders
     where livemode = $1 and status = 'open' and kind = $2 and item_id = $3 and session_id is not null`,
    [livemode, kind === 'plan' ? 'plan' : 'credits', offerId],
  );
  return rows[0]?.pages ?? 0;
}
