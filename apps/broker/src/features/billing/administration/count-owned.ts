import type { Query } from '#platform/db/database.ts';
import { isRunningSql, runningValues } from '../access/running-sql.ts';

/** How many of each are running, of all people. */
export type OwnedCounts = { subscriptions: number; rentals: number; purchases: number; trials: number };

const running = isRunningSql({ now: '$2', renewedSince: '$3' });

/** How many people rent a server. */
export async function countRenters(query: Query, livemode: boolean, nowMs: number, serverId: string): Promise<number> {
  const { rows } = await query<{ found: number }>(
    `select count(distinct user_id)::int as found from access_grants
     where livemode = $1 and kind = 'rental' and server_id = $4 and ${running}`,
    [livemode, ...runningValues(nowMs), serverId],
  );
  return rows[0]?.found ?? 0;
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
