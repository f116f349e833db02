import type { Query } from '#platform/db/database.ts';

/**
 * Since when a payment provider that takes no money, the stand-in or a test key, was configured here, as far as rows prove.
 * @returns 'never'; 'unknown' where one was and nothing tells when
 */
export async function providerSince(query: Query): Promise<Date | 'never' | 'unknown'> {
  const { rows } = await query<{ since: Date | null; has_foreign: boolean }>(
    `select least(
         (select to_timestamp((body->>'created')::bigint) from stripe_sandbox.objects where id = 'we_own'),
         (select min(received_at) from payment_events),
         (select min(created_at) from checkout_orders where not livemode)) as since,
       exists (select from provider_prices p where not p.livemode
         and not exists (select from stripe_sandbox.objects o where o.id = p.price_id)) as has_foreign`,
  );
  const [row] = rows;
  // the prices of a test account, which was asked before anything else was written
  if (row?.has_foreign) return 'unknown';
  return row?.since ?? 'never';
}
