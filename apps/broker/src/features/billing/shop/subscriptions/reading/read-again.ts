import type { Query } from '#platform/db/database.ts';
import { takeWantedReadings, wantReading } from '../subscription-store.ts';
import type { SyncSubscription } from '../sync-subscription.ts';

/** Subscriptions that one run reads; the next one goes on. */
const most = 100;

/**
 * Reads subscriptions again that changed at each of their readings, or of which something was left to do while another change of
 * their person was under way.
 * @throws SoukError payments_unavailable: the next run goes on
 */
export async function readAgain({
  query,
  livemode,
  sync,
}: {
  query: Query;
  livemode: boolean;
  sync: SyncSubscription;
}): Promise<void> {
  const wanted = await takeWantedReadings(query, livemode, most);
  for (const [index, paymentId] of wanted.entries()) {
    try {
      await sync(paymentId);
    } catch (error) {
      for (const left of wanted.slice(index)) await wantReading(query, left);
      throw error;
    }
  }
}
