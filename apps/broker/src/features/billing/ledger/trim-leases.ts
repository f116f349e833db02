import { arrayLiteral } from '#platform/db/array-literal.ts';
import type { Query } from '#platform/db/database.ts';
import { lockFreeAccounts, tidyAccounts, type Livemode } from './accounts.ts';

/** A lease that gives no more holds. It keeps what was handed out to calls: an absolute figure that only falls. */
export type LeaseTrim = { leaseId: string; userId: string; keep: number };

/**
 * Gives back what leases do not use. May be repeated, and may arrive late. Runs in a transaction.
 * @returns the users whose leases are as they should be; another transaction has locked the accounts of the others
 */
export async function trimLeases(
  query: Query,
  livemode: Livemode,
  brokerId: string,
  trims: readonly LeaseTrim[],
): Promise<ReadonlySet<string>> {
  const users = await lockFreeAccounts(query, livemode, [...new Set(trims.map((trim) => trim.userId))]);
  const { rows } = await query<{ user_id: string }>(
    `with trims as materialized (
       select l.id, l.user_id, l.spent, l.granted, least(l.granted, greatest(t.keep, l.spent)) as keep
       from unnest($4::uuid[], $5::uuid[], $6::bigint[]) t (lease_id, user_id, keep)
         join credit_leases l on l.id = t.lease_id and l.user_id = t.user_id and l.livemode = $1 and l.broker_id = $2
       where t.user_id = any($3::uuid[])),
     empty as (delete from credit_leases l using trims t where l.id = t.id and t.keep = t.spent),
     kept as (
       update credit_leases l set granted = t.keep, state = 'draining' from trims t where l.id = t.id and t.keep > t.spent),
     returned as (select user_id, sum(granted - keep)::bigint as credits from trims group by user_id)
     update credit_accounts c set held = c.held - r.credits
     from returned r where c.user_id = r.user_id and c.livemode = $1 and r.credits > 0
     returning c.user_id`,
    [
      livemode,
      brokerId,
      [...users],
      arrayLiteral(trims.map((trim) => trim.leaseId)),
      arrayLiteral(trims.map((trim) => trim.userId)),
      arrayLiteral(trims.map((trim) => trim.keep)),
    ],
  );
  // what came back may have expired meanwhile, or repay debt
  if (rows.length > 0)
    await tidyAccounts(
      query,
      livemode,
      rows.map((row) => row.user_id),
    );
  const left = trims.map((trim) => trim.userId).filter((userId) => !users.has(userId));
  if (left.length === 0) return users;
  // an account that does not exist has no lease: it was asked for in vain
  const { rows: busy } = await query<{ user_id: string }>(
    'select user_id from credit_accounts where user_id = any($2::uuid[]) and livemode = $1',
    [livemode, left],
  );
  const isBusy = new Set(busy.map((row) => row.user_id));
  return new Set([...users, ...left.filter((userId) => !isBusy.has(userId))]);
}
