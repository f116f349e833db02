import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { PurchaseLock } from '../../changes/purchase-locks.ts';
import { endAtProvider } from './end-at-provider.ts';
import type { SyncSubscription } from '../sync-subscription.ts';

/**
 * Ends what a person had not paid for, and has bought anew: a plan, or the rental of a server. Nothing more is collected for it, and
 * what is paid for it at this moment goes back.
 * @throws SoukError payments_unavailable: call again
 */
export type EndReplaced = (order: { replaces: readonly string[] }, lock: PurchaseLock) => Promise<void>;

export function createEndReplaced(given: { provider: PaymentProvider; sync: SyncSubscription }): EndReplaced {
  return async ({ replaces }, lock) => {
    for (const paymentId of replaces) await endAtProvider(given, paymentId, { lock, isUnpaid: true });
  };
}
