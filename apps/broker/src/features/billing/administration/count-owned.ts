import type { Query } from '#platform/db/database.ts';
import { isRunningSql, runningValues } from '../entitlement/running-sql.ts';

export type OwnedCounts = { subscriptions: number; rentals: number; purchases: number; trials: number };

const running = isRunningSql({ now: '$2', renewedSince: '$3' });

/** Counts the users who rent each of these servers; a server without renters is missing. */
export async function countRenters(
  query: Query,
  livemode: boolean,
  nowMs: number,
  serverIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await query<{ server_id: string; renters: number }>(
    `select server_id, count(distinct user_id)::int as renters from access_grants
     where livemode = $1 and kind = 'rental' and server_id = any($4::text[]) and ${running} group by server_id`,
    [livemode, ...runningValues(nowMs), serverIds],
  );
  return new Map(rows.map(({ server_id: serverId, renters }) => [serverId, renters]));
}

export async function countOwned(query: Query, livemode: boolean, nowMs: number): Promise<OwnedCounts> {
  const { rows } = await query<{ kind: string; found: number }>(
    `select 'subscription' as kind, count(*)::int as found from subscriptions where livemode = $1 and ${running}
     union all
     select kind, count(*)::int from access_grants where livemode = $1 and ${running} group by kind`,
    [livemode, ...runningValues(nowMs)],
  );
  const found = (kind: string) => rows.find((row) => row.kind === kind)?.found ?? 0;
  return {
    subscriptions: found('subscription'),
    rentals: found('rental'),
    purchases: found('purchase'),
    trials: found('trial'),
  };
}
