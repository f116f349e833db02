import type { ShopParts } from '../../shop-parts.ts';
import { forEachSubscription } from './for-each-subscription.ts';
import { setEnd } from './set-end.ts';

const pageSize = 100;

/**
 * Ends the subscriptions at the provider that are to end with their period and that the provider has not confirmed yet.
 * @throws SoukError payments_unavailable: the next run continues
 */
export async function endWanted(parts: Pick<ShopParts, 'db' | 'provider' | 'sync' | 'locks' | 'log'>): Promise<void> {
  const { db, provider } = parts;
  // subscriptions that are over need no end
  await db.query('update subscription_syncs set end_wanted = false where end_wanted and is_over');
  const { rows } = await db.query<{ payment_id: string }>(
    `select payment_id from subscription_syncs s where end_wanted and exists (
       select from subscriptions o where o.payment_id = s.payment_id and o.livemode = $1
       union all select from access_grants o where o.payment_id = s.payment_id and o.livemode = $1)
     order by payment_id limit $2`,
    [provider.livemode, pageSize],
  );
  const providerSubscriptionIds = rows.map((row) => row.payment_id);
  const refusal = 'a subscription that is to end with its period could not be ended';
  await forEachSubscription(parts, providerSubscriptionIds, refusal, (id, lock) => setEnd(parts, id, true, lock));
}
