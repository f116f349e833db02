import type { Query } from '#platform/db/database.ts';
import { isRunningSql, runningValues } from '../access/running-sql.ts';

/** How many of each are running, of all people. */
export type OwnedCounts = { subscriptions: number; rentals: number; purchases: number; trials: number };

const running = isRunningSql({ now: '$2', renewedSince: '$3' });

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
