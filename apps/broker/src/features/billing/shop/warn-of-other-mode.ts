import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';

/**
 * Warns after a change of the payment mode: real plans, servers and credits, and those given under PAYMENTS=off, do not count
 * with the stand-in or a test key, nor the reverse. Nothing is lost: the text says in which mode they count again.
 */
export async function warnOfOtherMode(query: Query, livemode: boolean, log: Log): Promise<void> {
  const running = `livemode <> $1 and ended_at is null and (period_ends_at is null or period_ends_at > now())`;
  const { rows } = await query<{ plans: number; servers: number; balances: number }>(
    `select (select count(*) from subscriptions where ${running})::int as plans,
       (select count(*) from access_grants where ${running})::int as servers,
       (select count(*) from credit_accounts where livemode <> $1 and balance > 0 and not closed)::int as balances`,
    [livemode],
  );
  const [counts] = rows;
  if (!counts || counts.plans + counts.servers + counts.balances === 0) return;
  log.warn(
    counts,
    livemode
      ? 'plans, servers and credits of demo payments or of a test key do not count with real payments: they count again with demo payments or a test key'
      : 'plans, servers and credits that were paid with money or given under PAYMENTS=off do not count with demo payments or a test key: they count again with PAYMENTS=off or a live key',
  );
}
