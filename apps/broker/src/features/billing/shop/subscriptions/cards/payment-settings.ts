import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Log } from '#platform/log.ts';
import type { ProviderSubscription } from '../reading/read-subscription.ts';

/**
 * Sets how the invoices of a subscription are paid, where the provider has it otherwise: with what the shop takes and what the
 * subscription is charged to already, and what pays one is charged for the next. Without that, a card that pays an open
 * invoice would pay that one alone.
 */
export type SettlePayments = (read: ProviderSubscription) => Promise<void>;

export function createSettlePayments({
  provider,
  methods,
  log,
}: {
  provider: PaymentProvider;
  methods: readonly string[];
  log: Log;
}): SettlePayments {
  return async ({ id, paymentSettings, ownMethod }) => {
    // a method that is not named is not charged any more
    const named = [...new Set([...methods, ...(ownMethod === undefined ? [] : [ownMethod.type])])];
    const isSame = String(paymentSettings.methods) === String(named);
    if (paymentSettings.keeps && isSame) return;
    try {
      await provider.call((stripe) =>
        stripe.subscriptions.update(id, {
          payment_settings: { save_default_payment_method: 'on_subscription', payment_method_types: named },
        }),
      );
    } catch (error) {
      // one that has ended meanwhile; anything else is tried again with the next reading
      if (!isRefusal(error)) throw error;
      log.warn({ err: error, subscription: id }, 'the payment settings of a subscription could not be set');
    }
  };
}
