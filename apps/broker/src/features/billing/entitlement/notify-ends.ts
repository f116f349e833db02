import type { Query } from '#platform/db/database.ts';
import { queueNotice } from '#platform/notices/outbox.ts';

const maxPerRun = 500;

type Row = {
  id: string;
  user_id: string;
  kind: 'plan' | 'rental' | 'purchase' | 'trial';
  plan: string | null;
  server_id: string | null;
  period_ends_at: Date;
};

/**
 * Notifies users of access that ends by itself: three days before its end, or halfway through a period shorter than six days.
 * Access that renews does not end. Each end is notified once; a rental that was resumed and canceled again has a new end.
 */
export async function notifyEnds(
  query: Query,
  { livemode, nowMs, nameOf }: { livemode: boolean; nowMs: number; nameOf(serverId: string): Promise<string> },
): Promise<void> {
  const { rows } = await query<Row>(
    `select * from (
       select s.id, s.user_id, 'plan' as kind, p.name as plan, null as server_id, s.period_ends_at, s.started_at, s.source,
         s.cancelled_at
       from subscriptions s join plans p using (plan_id)
       where s.livemode = $1 and s.ended_at is null and s.period_ends_at > $2 and s.period_ends_at <= $2::timestamptz + interval '3 days'
       union all
       select id, user_id, kind, null, server_id, period_ends_at, started_at, source, cancelled_at from access_grants
       where livemode = $1 and ended_at is null and period_ends_at > $2 and period_ends_at <= $2::timestamptz + interval '3 days'
     ) ending
     where (source <> 'payment' or cancelled_at is not null)
       and period_ends_at - $2::timestamptz <= (period_ends_at - started_at) / 2
       and not exists (select from notices
         where key = 'access_ends:' || ending.id || ':' || (extract(epoch from ending.period_ends_at) * 1000)::bigint)
     order by period_ends_at, id limit $3`,
    [livemode, new Date(nowMs), maxPerRun],
  );
  for (const { id, user_id: userId, kind, plan, server_id: serverId, period_ends_at: endsAt } of rows) {
    const what = plan === null ? `${kind} of ${await nameOf(serverId ?? '')}` : `${plan} plan`;
    const facts = { what, endsAt: endsAt.toISOString(), isTrial: kind === 'trial' };
    const event = `${id}:${endsAt.getTime()}`;
    await queueNotice(query, { kind: 'access_ends', userId, event, facts }, new Date(nowMs));
  }
}
