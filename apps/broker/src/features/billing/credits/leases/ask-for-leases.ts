import type { Query } from '#platform/db/database.ts';
import type { Livemode } from '../accounts/accounts.ts';

/** NOTIFY channel that speeds up the return of leases; its payload is the user. */
export const leaseChannel = 'souk_credits';

/**
 * Asks brokers to return what they do not use of these accounts. The mark on the lease is the message, which settle and
 * heartbeat read; the notification only speeds it up.
 * @param but a broker that is not asked
 * @returns for each user how many leases are to be returned
 */
export async function askForLeases(
  query: Query,
  livemode: Livemode,
  userIds: readonly string[],
  but?: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await query<{ user_id: string; leases: number }>(
    'select user_id, leases from ask_for_leases($1, $2::uuid[], $3::uuid)',
    [livemode, userIds, but ?? null],
  );
  return new Map(rows.map((row) => [row.user_id, row.leases]));
}
