import type { Query } from '#platform/db/database.ts';

/**
 * Real money (true) or the sandbox (false). A user has an account for each, and a broker uses the one that matches its
 * payments.
 */
export type Livemode = boolean;

export const welcomeIdem = (userId: string): string => `welcome:${userId}`;

export const thisMonth = `date_trunc('month', now() at time zone 'UTC')::date`;

/** A user's spending this month, from a row `c` of credit_accounts. */
export const spentThisMonth = `case when c.month = ${thisMonth} then c.month_spent else 0 end`;

/**
 * Common table expressions that take credits from lots, for a statement with a relation `burns (user_id, credits)`. Expired
 * credits go first: they only exist because a call holds them. Then by source (plan, promotional, purchased: also their
 * alphabetical order), the soonest to expire, and the oldest. `burned` has every open lot of these users.
 * @param livemode the parameter or variable of the statement with the mode
 * @param expiring `burns` has a column `gone`: that part of the credits has expired instead of being spent. A lot that was
 *   clawed back while calls held its credits has counted them already, and does not count them again.
 */
export const burnLots = (livemode: string, { expiring = false } = {}) => `
  burned as materialized (
    select id, user_id, expires_at, remaining, greatest(0, least(remaining, burning - before))::bigint as credits
      ${expiring ? ', greatest(0, least(remaining, gone - before, granted - clawed - expired))::bigint as expiring' : ''}
    from (
      select l.id, l.user_id, l.expires_at, l.remaining, b.credits as burning,
        ${expiring ? 'b.gone, l.granted, l.clawed, l.expired,' : ''}
        sum(l.remaining) over (
          partition by l.user_id
          order by coalesce(l.expires_at <= now(), false) desc, l.source, l.expires_at nulls last, l.number) - l.remaining
          as before
      from burns b join credit_lots l on l.user_id = b.user_id and l.livemode = ${livemode}
      where l.open and l.user_id = any(array(select user_id from burns))) open_lots),
  lots as (
    update credit_lots l set remaining = l.remaining - b.credits ${expiring ? ', expired = l.expired + b.expiring' : ''}
    from burned b where l.id = b.id and b.credits > 0)`;

/** Tidies accounts that this transaction has locked (account-functions.ts). */
export async function tidyAccounts(query: Query, livemode: Livemode, userIds: readonly string[]): Promise<void> {
  await query('select tidy_accounts($1, $2::uuid[])', [livemode, userIds]);
}
