import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { isChangeUnderWay, type PurchaseLocks } from '../../changes/purchase-locks.ts';
import { setEnd } from './set-end.ts';
import type { SyncSubscription } from '../sync-subscription.ts';

const pageSize = 100;

/**
 * Tells the provider of those that are to end with their period and that it has not heard of.
 * @throws SoukError payments_unavailable: the next run goes on
 */
export async function endWanted(given: {
  query: Query;
  provider: PaymentProvider;
  sync: SyncSubscription;
  locks: PurchaseLocks;
  log: Log;
}): Promise<void> {
  const { query, provider, log } = given;
  // those that are over need no end
  await query('update subscription_syncs set end_wanted = false where end_wanted and is_over');
  const { rows } = await query<{ payment_id: string }>(
    `select payment_id from subscription_syncs s where end_wanted and exists (
       select from subscriptions o where o.payment_id = s.payment_id and o.livemode = $1
       union all select from access_grants o where o.payment_id = s.payment_id and o.livemode = $1)
     order by payment_id limit $2`,
    [provider.livemode, pageSize],
  );
  for (const { payment_id: paymentId } of rows) {
    try {
      await given.locks.runFor(paymentId, (lock) => setEnd(given, paymentId, true, lock));
    } catch (error) {
      // the next run comes back to it
      if (isChangeUnderWay(error)) continue;
      if (!isRefusal(error)) throw error;
      log.error(
        { err: error, subscription: paymentId },
        'a subscription that is to end with its period could not be ended',
      );
    }
  }
}
