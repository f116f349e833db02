import type { Query } from '#platform/db/database.ts';

/**
 * Sums the revenue of a server's rentals since a moment, less refunds and tax, in minor units of one currency. Refunds of older
 * payments can make it negative.
 */
export async function readServerRevenue(
  query: Query,
  of: { serverId: string; livemode: boolean; currency: string; since: Date },
): Promise<number> {
  const { rows } = await query<{ revenue: number }>(
    `select coalesce(sum(case when type = 'refund' then tax - amount else amount - tax end), 0)::bigint as revenue
     from transactions
     where server_id = $1 and livemode = $2 and created_at >= $3 and upper(currency) = upper($4)
       and type in ('rental_create', 'refund') and status in ('completed', 'refunded')`,
    [of.serverId, of.livemode, of.since, of.currency],
  );
  return rows[0]?.revenue ?? 0;
}
