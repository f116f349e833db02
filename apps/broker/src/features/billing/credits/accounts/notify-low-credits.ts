import type { Query } from '#platform/db/database.ts';
import { queueNotice } from '#platform/notices/outbox.ts';

const maxPerRun = 500;

/**
 * Notifies users who have at most a tenth left of the credits that they last bought or got from their plan, once for each such
 * grant.
 */
export async function notifyLowCredits(query: Query, livemode: boolean, nowMs: number): Promise<void> {
  const { rows } = await query<{ user_id: string; left: number; id: string; granted: number }>(
    `select a.user_id, greatest(a.balance - a.debt, 0) as left, l.id, l.granted
     from credit_accounts a cross join lateral (
       select id, granted, expires_at from credit_lots
       where user_id = a.user_id and livemode = a.livemode and source in ('plan', 'purchased') order by number desc limit 1) l
     where a.livemode = $1 and not a.closed and l.granted >= 10 and (a.balance - a.debt) * 10 <= l.granted
       and (l.expires_at is null or l.expires_at > $2)
       and not exists (select from notices where key = 'credits_low:' || l.id)
     order by l.id limit $3`,
    [livemode, new Date(nowMs), maxPerRun],
  );
  for (const { user_id: userId, left, id, granted } of rows)
    await queueNotice(query, { kind: 'credits_low', userId, event: id, facts: { left, granted } }, new Date(nowMs));
}
