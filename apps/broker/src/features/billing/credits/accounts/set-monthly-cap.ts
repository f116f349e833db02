import type { Query } from '#platform/db/database.ts';
import type { Livemode } from './accounts.ts';
import { askForLeases } from '../leases/ask-for-leases.ts';

/**
 * Limits what a user's calls may spend in a month (UTC). Leases are granted within the cap, and held credits count, so that
 * brokers cannot exceed it together; brokers are asked to return open leases, because the cap may be lower now. Runs in a
 * transaction.
 * @param cap whole credits; undefined: no limit
 */
export async function setMonthlyCap(
  query: Query,
  livemode: Livemode,
  userId: string,
  cap: number | undefined,
): Promise<void> {
  await query(
    `insert into credit_accounts (user_id, livemode, monthly_cap) values ($2, $1, $3)
     on conflict (user_id, livemode) do update set monthly_cap = excluded.monthly_cap`,
    [livemode, userId, cap ?? null],
  );
  await askForLeases(query, livemode, [userId]);
}
