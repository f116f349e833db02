import type { Query } from '#platform/db/database.ts';

const batchRows = 5_000;
/** Batches that a user who deletes their account waits for. The job does the rest. */
export const batchesAtOnce = 20;
/** Users per run of the job. The next run continues. */
const maxPeople = 1_000;
/** Age from which calls are deleted: a charge whose answer was lost is retried, and looks up its call (credits/leases). */
const minAgeMs = 60 * 60_000;

/** Deletes the calls of deleted accounts, and their sums, except calls of the last hour. */
export async function forgetUseOfDeleted(query: Query, nowMs: number): Promise<number> {
  const { rows } = await query<{ id: string }>(
    `select id from users u where deleted_at < $1 and (
       exists (select from usage_events where user_id = u.id) or exists (select from usage_daily where user_id = u.id)
       or exists (select from usage_people where user_id = u.id)) limit $2`,
    [new Date(nowMs - minAgeMs), maxPeople],
  );
  for (const { id } of rows) await forgetUse(query, id, nowMs);
  return rows.length;
}

/** Deletes the calls of one user, in batches that do not block other writers, and their sums. */
export async function forgetUse(
  query: Query,
  userId: string,
  nowMs: number,
  maxBatches = Number.POSITIVE_INFINITY,
): Promise<void> {
  let removed = batchRows;
  for (let batch = 0; removed === batchRows && batch < maxBatches; batch++)
    ({ affectedRows: removed } = await query(
      `delete from usage_events where user_id = $1 and (created_at, call_id) in (
         select created_at, call_id from usage_events where user_id = $1 and created_at < $2 limit ${batchRows})`,
      [userId, new Date(nowMs - minAgeMs)],
    ));
  await forgetSums(query, userId);
}

/** Deletes a user's sums. The sums of all users stay. Parts that are not merged yet are deleted a day later. */
async function forgetSums(query: Query, userId: string): Promise<void> {
  for (const table of ['usage_daily', 'usage_people']) await query(`delete from ${table} where user_id = $1`, [userId]);
}
