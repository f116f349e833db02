import { arrayLiteral } from '#platform/db/array-literal.ts';
import type { Query } from '#platform/db/database.ts';
import type { UsageRow } from '../usage-row.ts';
import type { Livemode } from '../accounts/accounts.ts';

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
  /** Whether it was an aborted call that was not charged: its credits are free again. */
  isFree(call: FinishedCall): boolean;
  /** Of the users, the ones whose leases are asked back. */
  asked: ReadonlySet<string>;
  /** Calls that were not charged because their lease had gone back. */
  lost: number;
};

/**
 * Charges calls: an entry for each, lots burned in order, account, lease and usage row, all or none, in one statement.
 * **The fence**: without a lease that has room for it, a call is recorded and not charged, for the credits may be spent by
 * another call by now. A call that was charged before is passed over, so a batch whose commit is unknown is sent again.
 */
export async function settleCalls(
  query: Query,
  livemode: Livemode,
  calls: readonly FinishedCall[],
): Promise<Settlement> {
  const column = (value: (call: FinishedCall) => string | number | undefined) => arrayLiteral(calls.map(value));
  const { rows } = await query<{
    settled: string[];
    free: string[] | null;
    lost: string[] | null;
    asked: string[] | null;
  }>(
    `select * from settle_calls($1, $2::uuid[], $3::boolean[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[],
       $9::text[], $10::bigint[], $11::int[], $12::text[], $13::text[], $14::timestamptz[], $15::int[])`,
    [
      livemode,
      column(({ lease }) => lease.id),
      column(({ isAbort }) => (isAbort ? 't' : 'f')),
      column(({ row }) => row.callId),
      column(({ row }) => row.userId),
      column(({ row }) => row.serverId),
      column(({ row }) => row.name),
      column(({ row }) => row.outcome),
      column(({ row }) => row.reason),
      column(({ row }) => row.credits),
      column(({ row }) => Math.round(row.durationMs)),
      column(({ row }) => row.clientId),
      column(({ row }) => row.tokenId),
      column(({ row }) => new Date(row.atMs).toISOString()),
      column(({ row }) => row.rounds ?? 1),
    ],
  );
  const [answer] = rows;
  const users = new Set(answer?.settled);
  const free = dispatchesOf(answer?.free);
  const lost = dispatchesOf(answer?.lost);
  const written = calls.filter(({ row }) => users.has(row.userId));
  return {
    rows: written.map((call) => asWritten(call, free, lost)),
    users,
    isFree: (call) => free.has(dispatchOf(call)),
    asked: new Set(answer?.asked),
    lost: lost.size,
  };
}

/** A call of several rounds has a lease for each dispatch. */
const dispatchOf = ({ row, lease }: FinishedCall): string => `${row.callId} ${lease.id}`;

/** @param ids of calls, and behind them of their leases */
function dispatchesOf(ids: readonly string[] | null | undefined): Set<string> {
  const count = (ids?.length ?? 0) / 2;
  return new Set(ids?.slice(0, count).map((callId, index) => `${callId} ${ids[count + index]}`));
}

/** The usage row of a call, as the database has it now. */
function asWritten(call: FinishedCall, free: ReadonlySet<string>, lost: ReadonlySet<string>): UsageRow {
  const { row, isAbort } = call;
  if (free.has(dispatchOf(call))) return { ...row, credits: 0 };
  if (lost.has(dispatchOf(call))) return { ...row, credits: 0, reason: 'lease_lost' };
  return isAbort ? { ...row, reason: 'aborts_used_up' } : row;
}
