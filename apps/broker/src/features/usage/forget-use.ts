import type { Query } from '#platform/db/database.ts';

const batchRows = 5_000;
/** A person who deletes their account waits for no more; the job does the rest. */
export const batchesAtOnce = 20;
/** In one run of the job; the next one goes on. */
const mostPeople = 1_000;
/** A charge whose answer was lost is asked for again, and looks for its call (credits/leases/lease-functions.ts). */
const settledMs = 60 * 60_000;

/** Deletes what deleted accounts used: each call and its sums, but for calls of the last hour. */
export async function forgetUseOfDeleted(query: Query, nowMs: number): Promise<number> {
  const { rows } = await query<{ id: string }>(
    `select id from users u where deleted_at < $1 and (
       exists (select from usage_events where user_id = u.id) or exists (select from usage_daily where user_id = u.id)
       or exists (select from usage_people where user_id = u.id)) limit $2`,
    [new Date(nowMs - settledMs), mostPeople],
  );
  for (const { id } of rows) await forgetUse(query, id, nowMs);
  return rows.length;
}

/** The same of one person. Calls go in batches: others that write are not kept waiting. */
export async function forgetUse(
  query: Query,
  userId: string,
  nowMs: number,
  mostBatches = Number.POSITIVE_INFINITY,
): Promise<void> {
  let removed = batchRows;
  for (let batch = 0; removed === batchRows && batch < mostBatches; batch++)
    ({ affectedRows: removed } = await query(
      `delete from usage_events where user_id = $1 and (created_at, call_id) in (
         select created_at, call_id from usage_events where user_id = $1 and created_at < $2 limit ${batchRows})`,
      [userId, new Date(nowMs - settledMs)],
    ));
  await forgetSums(query, userId);
}

/** Sums of all people stay: they are of no person. What is not merged yet is part of these, and goes a day later. */
async function forgetSums(query: Query, userId: string): Promise<void> {
  for (const table of ['usage_daily', 'usage_people']) await query(`delete from ${table} where user_id = $1`, [userId]);
}
