import type { Query } from '#platform/db/database.ts';
import type { Livemode } from '../accounts/accounts.ts';
import { readCalls, writeCalls } from './ended-calls-text.ts';
import { settleEach } from './settle-each.ts';
import type { FinishedCall } from './settle-calls.ts';

/** Batches of brokers that have ended: of one statement, and of one turn, for calls wait for their leases meanwhile. */
const mostBatches = 16;
const mostStatements = 20;

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
  await query(
    `insert into credit_ended_calls (id, broker_id, livemode, calls) values ($1, $2, $3, $4) on conflict do nothing`,
    [batchId, brokerId, livemode, writeCalls(calls)],
  );
}

/** Takes batches away whose calls were charged. */
export async function dropEndedCalls(query: Query, batchIds: readonly string[]): Promise<void> {
  await query(`delete from credit_ended_calls where id = any($1::uuid[])`, [batchIds]);
}

/**
 * Charges what brokers that have ended wrote down and did not charge. Before their leases go back, for the charges are of
 * them. Several brokers may do it at once. Calls of accounts that are busy, and what is more than a turn's, stay for the next
 * time.
 * @param refused is told of a call whose row the database does not take
 * @returns how many batches are charged
 */
export async function settleOrphanedCalls(
  query: Query,
  refused: (call: FinishedCall, error: unknown) => void,
): Promise<number> {
  let count = 0;
  for (let statement = 0; statement < mostStatements; statement++) {
    const { rows: batches } = await query<{ id: string; livemode: boolean; calls: string }>(
      `select id, livemode, calls from credit_ended_calls e
       where not exists (select from credit_brokers b where b.id = e.broker_id) order by id limit ${mostBatches}`,
    );
    const over: string[] = [];
    for (const livemode of [true, false]) {
      const ofMode = batches.filter((batch) => batch.livemode === livemode);
      over.push(...(await settleBatches(query, livemode, ofMode, refused)));
    }
    if (over.length > 0) await dropEndedCalls(query, over);
    count += over.length;
    if (over.length < mostBatches) break;
  }
  return count;
}

/** @returns the ids of the batches whose calls are all charged or refused */
async function settleBatches(
  query: Query,
  livemode: Livemode,
  batches: readonly { id: string; calls: string }[],
  refused: (call: FinishedCall, error: unknown) => void,
): Promise<string[]> {
  const parsed = batches.map(({ id, calls }) => ({ id, calls: readCalls(calls) }));
  const left = new Set(parsed.flatMap(({ calls }) => calls));
  if (left.size === 0) return [];
  await settleEach(query, livemode, [...left], {
    settled(calls, { users }) {
      for (const call of calls) if (users.has(call.row.userId)) left.delete(call);
    },
    refused(call, error) {
      left.delete(call);
      refused(call, error);
    },
  });
  return parsed.flatMap(({ id, calls }) => (calls.some((call) => left.has(call)) ? [] : [id]));
}
