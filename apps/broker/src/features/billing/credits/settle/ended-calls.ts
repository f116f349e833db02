import type { Query } from '#platform/db/database.ts';
import type { Livemode } from '../accounts/accounts.ts';
import { readCalls, writeCalls } from './ended-calls-text.ts';
import { settleEach } from './settle-each.ts';
import type { FinishedCall } from './settle-calls.ts';

/** Limits for batches of dead brokers, per statement and per run: calls wait for their leases meanwhile. */
const maxBatches = 16;
const maxStatements = 20;

/**
 * Records ended calls that are not charged, so that they outlive this broker. Repeatable.
 * @param batchId the same for each attempt with these calls
 */
export async function recordEndedCalls(
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

export async function dropEndedCalls(query: Query, batchIds: readonly string[]): Promise<void> {
  await query(`delete from credit_ended_calls where id = any($1::uuid[])`, [batchIds]);
}

/**
 * Charges the calls that dead brokers recorded and did not charge. Call it before their leases are reclaimed, which the charges
 * need. Several brokers may run it concurrently. Calls of busy accounts, and calls beyond the limits, stay for the next run.
 * @param refused is called for each call whose row the database refuses
 * @returns how many batches are charged
 */
export async function settleOrphanedCalls(
  query: Query,
  refused: (call: FinishedCall, error: unknown) => void,
): Promise<number> {
  let count = 0;
  for (let statement = 0; statement < maxStatements; statement++) {
    const { rows: batches } = await query<{ id: string; livemode: boolean; calls: string }>(
      `select id, livemode, calls from credit_ended_calls e
       where not exists (select from credit_brokers b where b.id = e.broker_id) order by id limit ${maxBatches}`,
    );
    const over: string[] = [];
    for (const livemode of [true, false]) {
      const ofMode = batches.filter((batch) => batch.livemode === livemode);
      over.push(...(await settleBatches(query, livemode, ofMode, refused)));
    }
    if (over.length > 0) await dropEndedCalls(query, over);
    count += over.length;
    if (over.length < maxBatches) break;
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
