import type { Query } from '#platform/db/database.ts';
import type { Alert } from '#platform/notices/alert.ts';

const hourMs = 60 * 60_000;
/** Interval of reminders of a lasting cause. */
const remindMs = 24 * hourMs;
/** Minimum interval of alerts about a cause that comes and goes. */
const quietMs = hourMs;

/**
 * Compares the present causes with the previous ones, and queues an alert for each that is new, or has lasted for a day since
 * its last alert. Call it in a transaction; any broker may.
 * @returns the number of queued alerts
 */
export async function recordAlerts(query: Query, found: readonly Alert[], nowMs: number): Promise<number> {
  await query(`select pg_advisory_xact_lock(hashtext('souk:alerts'))`);
  const now = new Date(nowMs);
  const causes = found.map(({ cause }) => cause);
  await query('delete from alerts where cause <> all($1::text[]) and told_at <= $2', [
    causes,
    new Date(nowMs - quietMs),
  ]);
  await query('update alerts set gone_at = $2 where cause <> all($1::text[]) and gone_at is null', [causes, now]);
  let queued = 0;
  for (const { cause, text, path, once = false } of found) {
    // a new cause is alerted now, and a cause that returns within an hour once the hour is over
    const { rows } = await query(
      `insert into alerts (cause, since, told_at) values ($1, $2, $2)
       on conflict (cause) do update set told_at = $2, since = case when alerts.gone_at is null then alerts.since else $2 end,
         gone_at = null
       where alerts.told_at <= case when alerts.gone_at is null then $3::timestamptz else $4::timestamptz end
       returning cause`,
      [cause, now, once ? new Date(0) : new Date(nowMs - remindMs), new Date(nowMs - quietMs)],
    );
    if (rows.length === 0) continue;
    queued += 1;
    await query(
      `insert into notices (key, kind, facts, created_at, next_at) values ($1, 'alert', $2::jsonb, $3, $3)
       on conflict (key) do nothing`,
      [`alert:${cause}:${nowMs}`, JSON.stringify({ cause, text, path }), now],
    );
  }
  return queued;
}
