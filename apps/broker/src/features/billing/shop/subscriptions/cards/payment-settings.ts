import { isRefusal } from '#adapters/stripe/stripe-client.ts';
import type { ShopParts } from '../../shop-parts.ts';
import type { ProviderSubscription } from '../reading/read-subscription.ts';

/**
 * Sets the payment methods of the invoices of a subscription, unless the provider has them already: those of the shop, and the
 * one that the subscription is charged to. A method that pays an invoice is charged for the next ones too. Otherwise a card
 * that pays an open invoice would pay only that one.
 */
export async function setPaymentSettings(
  { provider, paymentMethods, log }: Pick<ShopParts, 'provider' | 'paymentMethods' | 'log'>,
  { id, paymentSettings, ownMethod }: ProviderSubscription,
): Promise<void> {
  // a method that is not named is no longer charged
  const named = [...new Set([...paymentMethods, ...(ownMethod === undefined ? [] : [ownMethod.type])])];
  const isSame = String(paymentSettings.methods) === String(named);
  if (paymentSettings.keeps && isSame) return;
  try {
    await provider.call((stripe) =>
      stripe.subscriptions.update(id, {
        payment_settings: { save_default_payment_method: 'on_subscription', payment_method_types: named },
      }),
    );
  } catch (error) {
    // the subscription has ended meanwhile; other errors are retried with the next reading
    if (!isRefusal(error)) throw error;
    log.warn({ err: error, subscription: id }, 'the payment settings of a subscription could not be set');
  }
}
