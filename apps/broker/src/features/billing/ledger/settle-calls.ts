import { arrayLiteral } from '#platform/db/array-literal.ts';
import type { Query } from '#platform/db/database.ts';
import type { UsageRow } from '../usage-row.ts';
import { noteFreeAborts } from './free-aborts.ts';
import { burnLots, lockFreeAccounts, thisMonth, type Livemode } from './accounts.ts';

/** A call that is to be charged: its credits are those of its usage row. */
export type FinishedCall = {
  lease: { id: string };
  row: UsageRow;
  /** The client hung up after it was dispatched: the first few of an hour are free. */
  isAbort: boolean;
};

export type Settlement = {
  /** The rows of the calls that are in the ledger now, as they were written. */
  rows: UsageRow[];
  /** The users whose calls these are. Calls of others come again: another transaction has locked their accounts. */
  users: ReadonlySet<string>;
  /** The aborted calls that were not charged: their credits are free again. */
  free: ReadonlySet<string>;
  /** Of the users, the ones whose leases are asked back. */
  asked: ReadonlySet<string>;
  /** Calls that were not charged because their lease had gone back. */
  lost: number;
};

/**
 * Charges calls: an entry for each, lots burned in order, account, lease and usage row, all or none. Runs in a transaction.
 * **The fence**: without a lease that has room for it, a call is recorded and not charged, for the credits may be spent by
 * another call by now. A call that was charged before is passed over, so a batch whose commit is unknown is sent again.
 * @param insertRows writes usage rows in this transaction, so that what a person was charged and what they see never differ
 */
export async function settleCalls(
  query: Query,
  livemode: Livemode,
  calls: readonly FinishedCall[],
  insertRows: (query: Query, rows: readonly UsageRow[]) => Promise<void>,
): Promise<Settlement> {
  const users = await lockFreeAccounts(query, livemode, [...new Set(calls.map(({ row }) => row.userId))]);
  const batch = calls.filter(({ row }) => users.has(row.userId));
  const none: ReadonlySet<string> = new Set();
  if (batch.length === 0) return { rows: [], users, free: none, asked: none, lost: 0 };
  const aborts = batch.filter(({ isAbort }) => isAbort).map(({ row }) => row);
  const free = aborts.length === 0 ? none : await noteFreeAborts(query, livemode, aborts);
  const charged = free.size === 0 ? batch : batch.filter(({ row }) => !free.has(row.callId));
  const settled = await query<{ call_id: string; is_charged: boolean; is_asked: boolean }>(settleText, [
    livemode,
    arrayLiteral(charged.map(({ row }) => row.userId)),
    arrayLiteral(charged.map(({ row }) => row.callId)),
    arrayLiteral(charged.map(({ lease }) => lease.id)),
    arrayLiteral(charged.map(({ row }) => row.credits)),
  ]);
  const byCall = new Map(settled.rows.map((one) => [one.call_id, one]));
  const rows = batch.map(({ row, isAbort }) => {
    if (free.has(row.callId)) return { ...row, credits: 0 };
    if (!byCall.get(row.callId)?.is_charged) return { ...row, credits: 0, reason: 'lease_lost' };
    return isAbort ? { ...row, reason: 'aborts_used_up' } : row;
  });
  await insertRows(query, rows);
  return {
    rows,
    users,
    free,
    asked: new Set(batch.filter(({ row }) => byCall.get(row.callId)?.is_asked).map(({ row }) => row.userId)),
    lost: settled.rows.filter((one) => !one.is_charged).length,
  };
}

const settleText = `
  with calls as materialized (
    select f.*, exists (select from ledger_entries e where e.idem = 'call:' || f.call_id) as is_seen
    from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[]) with ordinality
      f (user_id, call_id, lease_id, credits, n)),
  fenced as materialized (
    select c.*, l.state, coalesce(
      not c.is_seen and sum(case when c.is_seen then 0 else c.credits end) over (partition by c.lease_id order by c.n)
        <= l.granted - l.spent, false) as pays
    from calls c left join credit_leases l on l.id = c.lease_id and l.user_id = c.user_id and l.livemode = $1),
  burns as (select user_id, sum(credits)::bigint as credits from fenced where pays group by user_id),
  of_leases as (select lease_id, sum(credits)::bigint as credits from fenced where pays group by lease_id),
  entries as (
    insert into ledger_entries (user_id, livemode, delta, contra, balance_after, idem)
    select f.user_id, $1, -f.credits, 'usage',
      c.balance - c.debt - sum(f.credits) over (partition by f.user_id order by f.n), 'call:' || f.call_id
    from fenced f join credit_accounts c on c.user_id = f.user_id and c.livemode = $1 where f.pays),
  spent_up as (delete from credit_leases l using of_leases s where l.id = s.lease_id and l.spent + s.credits = l.granted),
  spent as (
    update credit_leases l set spent = l.spent + s.credits
    from of_leases s where l.id = s.lease_id and l.spent + s.credits < l.granted),
  accounts as (
    update credit_accounts c set balance = c.balance - b.credits, held = c.held - b.credits, month = ${thisMonth},
      month_spent = b.credits + case when c.month = ${thisMonth} then c.month_spent else 0 end
    from burns b where c.user_id = b.user_id and c.livemode = $1),
  ${burnLots}
  select call_id, pays or is_seen as is_charged, coalesce(state = 'asked', false) as is_asked from fenced`;
