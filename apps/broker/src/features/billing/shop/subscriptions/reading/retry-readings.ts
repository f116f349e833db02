import type { ShopParts } from '../../shop-parts.ts';
import { claimWantedReadings, wantReading } from '../subscription-store.ts';

/** Subscriptions that one run refetches; the next run continues. */
const maxPerRun = 100;

/**
 * Refetches subscriptions that changed during each reading, or whose reading could not be completed because of another change
 * by their user.
 * @throws SoukError payments_unavailable: the next run continues
 */
export async function retryReadings({
  db,
  provider,
  sync,
}: Pick<ShopParts, 'db' | 'provider' | 'sync'>): Promise<void> {
  const wanted = await claimWantedReadings(db.query, provider.livemode, maxPerRun);
  for (const [index, providerSubscriptionId] of wanted.entries()) {
    try {
      await sync(providerSubscriptionId);
    } catch (error) {
      for (const left of wanted.slice(index)) await wantReading(db.query, left);
      throw error;
    }
  }
}
