import type { PurchaseLock } from '../../changes/purchase-locks.ts';
import type { ShopParts } from '../../shop-parts.ts';
import { endAtProvider } from './end-at-provider.ts';

/**
 * Ends unpaid subscriptions, to a plan or the rental of a server, that their user has replaced. Nothing more is collected for
 * them, and a payment that arrives right now is refunded.
 * @throws SoukError payments_unavailable: call again
 */
export async function endReplaced(
  parts: Pick<ShopParts, 'provider' | 'sync'>,
  { replaces }: { replaces: readonly string[] },
  lock: PurchaseLock,
): Promise<void> {
  for (const id of replaces) await endAtProvider(parts, id, { lock, isUnpaid: true });
}
