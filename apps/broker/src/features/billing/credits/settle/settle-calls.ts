import { arrayLiteral } from '#platform/db/array-literal.ts';
import type { Query } from '#platform/db/database.ts';
import { readRow } from '../../read-rows.ts';
import type { UsageRow } from '../usage-row.ts';
import type { Livemode } from '../accounts/accounts.ts';

/** A call to be charged: its credits are those of its usage row. */
export type FinishedCall = {
  lease: { id: string };
  row: UsageRow;
  /** The client aborted it after the dispatch: the first few per hour are free. */
  isAbort: boolean;
};

export type Settlement = {
  /** Usage rows of the calls that are in the ledger now, as they were written. */
  rows: UsageRow[];
  /** Users of these calls. Calls of other users are retried: another transaction has locked their accounts. */
  users: ReadonlySet<string>;
  /** Whether an aborted call was not charged: its credits are free again. */
  isFree(call: FinishedCall): boolean;
  asked: ReadonlySet<string>;
  /** Number of calls that were not charged because their lease was reclaimed. */
  lost: number;
};

/**
 * Charges calls in one statement: an entry for each, lots burned in order, account, lease and usage row, all or none. **The
 * fence**: a call without a lease that has room for it is recorded and not charged, because another call may have spent the
 * credits by now. A call that was charged before is skipped, so that a batch with an unknown commit can be repeated.
 */
export async function settleCalls(
  query: Query,
  livemode: Livemode,
  calls: readonly FinishedCall[],
): Promise<Settlement> {
  const column = (value: (call: FinishedCall) => string | number | undefined) => arrayLiteral(calls.map(value));
  const answer = await readRow<{ settled: string[]; free?: string[]; lost?: string[]; asked?: string[] }>(
    query,
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

/** @param ids of calls, followed by those of their leases */
function dispatchesOf(ids: readonly string[] = []): Set<string> {
  const count = ids.length / 2;
  return new Set(ids.slice(0, count).map((callId, index) => `${callId} ${ids[count + index]}`));
}

/** The usage row of a call, as the database has it now. */
function asWritten(call: FinishedCall, free: ReadonlySet<string>, lost: ReadonlySet<string>): UsageRow {
  const { row, isAbort } = call;
  if (free.has(dispatchOf(call))) return { ...row, credits: 0 };
  if (lost.has(dispatchOf(call))) return { ...row, credits: 0, reason: 'lease_lost' };
  return isAbort ? { ...row, reason: 'aborts_used_up' } : row;
}
