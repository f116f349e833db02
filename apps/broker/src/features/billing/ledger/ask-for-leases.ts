import type { Query } from '#platform/db/database.ts';
import type { Livemode } from './accounts.ts';

/** NOTIFY of this channel makes a lease come back quickly; its payload is the user. */
export const leaseChannel = 'souk_credits';

/**
 * Asks brokers to give back what they do not use of these accounts. The mark on the lease is the message, which settle and
 * beat bring along; the notification only makes it quick.
 * @param but a broker that is not asked
 * @returns for each user how many leases are yet to come back
 */
export async function askForLeases(
  query: Query,
  livemode: Livemode,
  userIds: readonly string[],
  but?: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await query<{ user_id: string; leases: number }>(
    `with asked as (
       update credit_leases set state = 'asked'
       where user_id = any($2::uuid[]) and livemode = $1 and state = 'open' and broker_id is distinct from $3::uuid
       returning user_id),
     before as (
       select user_id from credit_leases
       where user_id = any($2::uuid[]) and livemode = $1 and state = 'asked' and broker_id is distinct from $3::uuid)
     select user_id, count(*) as leases, pg_notify('${leaseChannel}', user_id::text)
     from (select user_id from asked union all select user_id from before) l group by user_id`,
    [livemode, userIds, but ?? null],
  );
  return new Map(rows.map((row) => [row.user_id, row.leases]));
}
