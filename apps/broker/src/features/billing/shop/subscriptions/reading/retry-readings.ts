import type { ShopParts } from '../../shop-parts.ts';
import { claimWantedReadings, wantReading } from '../subscription-store.ts';

/** Subscriptions that one run reads; the next one continues. */
const most = 100;

/**
 * Reads subscriptions again that changed during each reading, or that another change of their user kept from being completed.
 * @throws SoukError payments_unavailable: the next run continues
 */
export async function retryReadings({
  db,
  provider,
  sync,
}: Pick<ShopParts, 'db' | 'provider' | 'sync'>): Promise<void> {
  const wanted = await claimWantedReadings(db.query, provider.livemode, most);
  for (const [index, providerSubscriptionId] of wanted.entries()) {
    try {
      await sync(providerSubscriptionId);
    } catch (error) {
      for (const left of wanted.slice(index)) await wantReading(db.query, left);
      throw error;
    }
  }
}
