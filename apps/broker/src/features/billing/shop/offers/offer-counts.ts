import type { Query } from '#platform/db/database.ts';

/** What a subscriber's renewals cost and bring; null: the payment provider was not asked yet. */
export type Terms = { amount: number | null; currency: string | null; monthlyCredits: number | null };

/** `ending`: those of the subscribers whose plan ends with the period that is paid. */
export type PriceGroup = Terms & { planId: string; subscribers: number; ending: number };

/** Plans that people pay for, until they end: the rule of the Overview's sums too (administration/figures/tables.ts). */
const paidFor = `ended_at is null and source = 'payment' and livemode = $1`;

/**
 * Those who subscribe, by what they pay and the plan of their next renewal, the most first. A plan that was cancelled counts
 * until its paid period ends.
 * @param planId undefined: of all plans
 */
export async function countByPrice(query: Query, livemode: boolean, planId?: string): Promise<PriceGroup[]> {
  const { rows } = await query<{
    plan_id: string;
    amount: number | null;
    currency: string | null;
    monthly_credits: number | null;
    subscribers: number;
    ending: number;
  }>(
    `select coalesce(next_plan_id, s.plan_id) as plan_id, s.price_amount as amount, s.price_currency as currency,
       p.monthly_credits, count(*)::int as subscribers, count(cancelled_at)::int as ending
     from subscriptions s left join plan_prices p using (price_id)
     where ${paidFor} and ($2::text is null or coalesce(next_plan_id, s.plan_id) = $2)
     group by 1, 2, 3, 4 order by subscribers desc, amount`,
    [livemode, planId ?? null],
  );
  return rows.map(({ plan_id, monthly_credits, ...row }) => ({
    planId: plan_id,
    monthlyCredits: monthly_credits,
    ...row,
  }));
}

/** Of these groups those who pay again: a change of the price, or a move, concerns no one else. */
export function renewingOf(groups: readonly PriceGroup[]): PriceGroup[] {
  return groups
    .map((group) => ({ ...group, subscribers: group.subscribers - group.ending, ending: 0 }))
    .filter(({ subscribers }) => subscribers > 0);
}

/** Whether a group pays and gets what is offered now. One of which nothing is known is taken for it. */
export function isCurrent({ amount, currency, monthlyCredits }: Terms, offered: Terms): boolean {
  if (amount === null) return true;
  return amount === offered.amount && currency === offered.currency && monthlyCredits === offered.monthlyCredits;
}

/** Everyone who has a plan, also by an administrator, and also until its cancelled period ends. */
export async function countHolders(query: Query, livemode: boolean, planId: string): Promise<number> {
  const { rows } = await query<{ holders: number }>(
    `select count(*)::int as holders from subscriptions
     where livemode = $1 and ended_at is null and (plan_id = $2 or next_plan_id = $2)`,
    [livemode, planId],
  );
  return rows[0]?.holders ?? 0;
}

/** Payment pages on which people can pay for it now. */
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
