import type { Query } from '#platform/db/database.ts';
import { renewalGraceMs } from './owned.ts';

/** Bounds the result; beyond it, all users are notified. */
const maxUsers = 1_000;

/**
 * Finds the users with access that ended in a time span. Access ends by the clock (owned.ts); this only says whose clients
 * should refetch.
 * @returns undefined where there are too many
 */
export async function findEnded(
  query: Query,
  livemode: boolean,
  span: { fromMs: number; toMs: number },
): Promise<string[] | undefined> {
  const { rows } = await query<{ user_id: string }>(
    `select distinct user_id from (
       select user_id, period_ends_at, source, cancelled_at from subscriptions
         where livemode = $1 and ended_at is null and period_ends_at > $2 and period_ends_at <= $4
       union all
       select user_id, period_ends_at, source, cancelled_at from access_grants
         where livemode = $1 and ended_at is null and period_ends_at > $2 and period_ends_at <= $4) owned
     where case when source = 'payment' and cancelled_at is null then period_ends_at > $2 and period_ends_at <= $5
       else period_ends_at > $3 end
     limit $6`,
    [
      livemode,
      new Date(span.fromMs - renewalGraceMs),
      new Date(span.fromMs),
      new Date(span.toMs),
      new Date(span.toMs - renewalGraceMs),
      maxUsers + 1,
    ],
  );
  return rows.length > maxUsers ? undefined : rows.map((row) => row.user_id);
}
