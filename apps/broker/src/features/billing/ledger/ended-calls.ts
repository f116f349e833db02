import type { Query } from '#platform/db/database.ts';
import type { Livemode } from './accounts.ts';
import { settleEach } from './settle-each.ts';
import type { FinishedCall } from './settle-calls.ts';

/** Batches of brokers that have ended, at a time. */
const mostBatches = 64;

/**
 * Writes down calls that ended and are yet to be charged, so that they outlive this broker. The same again is harmless.
 * @param batchId of these calls alone
 */
export async function noteEndedCalls(
  query: Query,
  livemode: Livemode,
  brokerId: string,
  batchId: string,
  calls: readonly FinishedCall[],
): Promise<void> {
  const noted = calls.map(({ lease, isAbort, row }) => ({ lease: { id: lease.id }, isAbort, row }));
  await query(
    `insert into credit_ended_calls (id, broker_id, livemode, calls) values ($1, $2, $3, $4) on conflict do nothing`,
    [batchId, brokerId, livemode, JSON.stringify(noted)],
  );
}

/** Takes batches away whose calls were charged. */
export async function dropEndedCalls(query: Query, batchIds: readonly string[]): Promise<void> {
  await query(`delete from credit_ended_calls where id = any($1::uuid[])`, [batchIds]);
}

/**
 * Charges what brokers that have ended wrote down and did not charge. Before their leases go back, for the charges are of
 * them. Several brokers may do it at once. Calls of accounts that are busy stay for the next time.
 */
export async function settleOrphanedCalls(
  query: Query,
  refused: (call: FinishedCall, error: unknown) => void,
): Promise<void> {
  const { rows: batches } = await query<{ id: string; livemode: boolean; calls: string }>(
    `select id, livemode, calls from credit_ended_calls e
     where not exists (select from credit_brokers b where b.id = e.broker_id) order by id limit ${mostBatches}`,
  );
  for (const { id, livemode, calls: text } of batches) {
    const calls: FinishedCall[] = JSON.parse(text);
    let isSettled = true;
    await settleEach(query, livemode, calls, {
      settled: (part, { users }) => (isSettled &&= part.every(({ row }) => users.has(row.userId))),
      refused,
    });
    if (isSettled) await dropEndedCalls(query, [id]);
  }
}
