import type { Query } from '#platform/db/database.ts';
import type { SyncSubscription } from './sync-subscription.ts';

const pageSize = 100;

/**
 * Reads subscriptions of which it is not known what they cost: they are from before that was noted.
 * @throws SoukError payments_unavailable: the next run goes on
 */
export async function readMissingPrices(query: Query, livemode: boolean, sync: SyncSubscription): Promise<void> {
  for (let after = ''; ;) {
    const { rows } = await query<{ payment_id: string }>(
      `select payment_id from subscriptions where price_id is null and ended_at is null and source = 'payment'
         and livemode = $1 and payment_id > $2 order by payment_id limit $3`,
      [livemode, after, pageSize],
    );
    for (const { payment_id: paymentId } of rows) await sync(paymentId);
    const last = rows.at(-1);
    if (rows.length < pageSize || !last) return;
    after = last.payment_id;
  }
}
