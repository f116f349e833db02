import type { Query } from '#platform/db/database.ts';

/**
 * Whose credits: money of the sandbox and real money are two accounts of one person, and a broker uses the one that its
 * payments are of.
 */
export type Livemode = boolean;

/** The month of spending caps: the database's, in UTC. */
export const thisMonth = `date_trunc('month', now() at time zone 'UTC')::date`;

/** What a user has spent this month, of a row of credit_accounts named `c`. */
export const spentThisMonth = `case when c.month = ${thisMonth} then c.month_spent else 0 end`;

/**
 * Common table expressions that take credits from lots, for a statement with a relation `burns (user_id, credits)` and the
 * livemode as $1. What has expired goes first: it is only there because a call holds it. Then by source (plan,
 * promotional, purchased: they sort so), the soonest to expire, and the oldest. `burned` has every open lot of these users.
 */
export const burnLots = `
  burned as materialized (
    select l.id, l.user_id, l.expires_at, l.remaining, greatest(0, least(l.remaining, b.credits - (
      sum(l.remaining) over (
        partition by l.user_id
        order by coalesce(l.expires_at <= now(), false) desc, l.source, l.expires_at nulls last, l.number) - l.remaining
      )))::bigint as credits
    from burns b join credit_lots l on l.user_id = b.user_id and l.livemode = $1 where l.open),
  lots as (update credit_lots l set remaining = l.remaining - b.credits from burned b where l.id = b.id and b.credits > 0)`;

/** SQLSTATE lock_not_available: the time for a lock is over. */
const lockTimeout = '55P03';

/**
 * Locks accounts until the end of the transaction: the first step of every batch. Those that another transaction keeps
 * locked for 50 ms are left out, so that one busy account never stops the others, nor two batches each other.
 * What has expired, and debt that can be repaid, has left the balance when this returns.
 * @returns the users whose accounts are locked
 */
export async function lockFreeAccounts(
  query: Query,
  livemode: Livemode,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await query<LockedRow>(`${lockText} skip locked`, [livemode, userIds]);
  const locked = new Set(rows.map((row) => row.user_id));
  const left = userIds.filter((userId) => !locked.has(userId));
  if (left.length > 0) rows.push(...(await waitForAccounts(query, livemode, left)));
  const untidy = rows.filter((row) => row.is_untidy).map((row) => row.user_id);
  if (untidy.length > 0) await tidyAccounts(query, livemode, untidy);
  return new Set(rows.map((row) => row.user_id));
}

type LockedRow = { user_id: string; is_untidy: boolean };

const lockText = `
  select user_id, debt > 0 or next_expiry <= now() as is_untidy from credit_accounts
  where user_id = any($2::uuid[]) and livemode = $1 order by user_id for no key update`;

/** Waits in the queue for the lock: without it, a broker that calls all the time would leave another one none. */
async function waitForAccounts(query: Query, livemode: Livemode, userIds: readonly string[]): Promise<LockedRow[]> {
  await query('savepoint waiting');
  await query(`set local lock_timeout = '50ms'`);
  try {
    return (await query<LockedRow>(lockText, [livemode, userIds])).rows;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === lockTimeout)) throw error;
    await query('rollback to savepoint waiting');
    return [];
  }
}

/**
 * Of locked accounts: what has expired and is not held leaves the balance, then what is free repays debt. Expiry is
 * decided here, by time, at each use: it waits for no job.
 */
export async function tidyAccounts(query: Query, livemode: Livemode, userIds: readonly string[]): Promise<void> {
  await query(
    `with expired as materialized (
       select c.user_id, c.balance, c.held, c.debt, greatest(0, -c.held + coalesce((
         select sum(l.remaining) from credit_lots l
         where l.user_id = c.user_id and l.livemode = c.livemode and l.open and l.expires_at <= now()), 0))::bigint as gone
       from credit_accounts c where c.user_id = any($2::uuid[]) and c.livemode = $1),
     tidied as materialized (
       select *, greatest(0, least(debt, balance - gone - held)) as repaid from expired),
     burns as (select user_id, gone + repaid as credits from tidied),
     ${burnLots},
     entries as (
       insert into ledger_entries (user_id, livemode, delta, contra, balance_after, idem)
       select user_id, $1, -gone, 'expiry', balance - gone - debt, 'expiry:' || gen_random_uuid()
       from tidied where gone > 0)
     update credit_accounts c set balance = c.balance - t.gone - t.repaid, debt = c.debt - t.repaid,
       next_expiry = (select min(b.expires_at) from burned b where b.user_id = c.user_id and b.remaining > b.credits)
     from tidied t where c.user_id = t.user_id and c.livemode = $1`,
    [livemode, userIds],
  );
}
