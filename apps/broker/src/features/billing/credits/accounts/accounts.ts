import type { Query } from '#platform/db/database.ts';

/**
 * Whose credits: money of the sandbox and real money are two accounts of one person, and a broker uses the one that its
 * payments are of.
 */
export type Livemode = boolean;

/** The fact that gives a newcomer their welcome credits. */
export const welcomeIdem = (userId: string): string => `welcome:${userId}`;

/** The month of spending caps: the database's, in UTC. */
export const thisMonth = `date_trunc('month', now() at time zone 'UTC')::date`;

/** What a user has spent this month, of a row of credit_accounts named `c`. */
export const spentThisMonth = `case when c.month = ${thisMonth} then c.month_spent else 0 end`;

/**
 * Common table expressions that take credits from lots, for a statement with a relation `burns (user_id, credits)`. What
 * has expired goes first: it is only there because a call holds it. Then by source (plan, promotional, purchased: they
 * sort so), the soonest to expire, and the oldest. `burned` has every open lot of these users.
 * @param livemode the parameter or variable of the statement that has the mode
 * @param expiring where `burns` has a column `gone`: as many of the credits are not spent, they have expired. A lot whose
 *   payment was taken back while calls held its credits has counted them with what was taken: not a second time.
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

/**
 * Of accounts that this transaction has locked: what has expired and is not held leaves the balance, then what is free
 * repays debt (account-functions.ts).
 */
export async function tidyAccounts(query: Query, livemode: Livemode, userIds: readonly string[]): Promise<void> {
  await query('select tidy_accounts($1, $2::uuid[])', [livemode, userIds]);
}
