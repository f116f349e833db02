import { getPaymentSession, purchaseCredits, startCheckout } from '@souk/contract/billing/payments.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { Checkout } from './create-checkout.ts';

export function mountCheckoutRoutes(
  router: Router,
  { payments }: { payments: { checkout: Checkout } | undefined },
): void {
  const checkout = payments?.checkout;
  const selling = (): Checkout => {
    if (!checkout) throw new SoukError('payments_off');
    return checkout;
  };

  router.route(startCheckout, async ({ caller, body: { successUrl, cancelUrl, ...wanted } }) => ({
    success: true as const,
    ...(await selling().start(caller.userId, wanted, { successUrl, cancelUrl })),
  }));

  router.route(purchaseCredits, async ({ caller, body: { stripePriceId, successUrl, cancelUrl } }) => ({
    success: true as const,
    ...(await selling().start(caller.userId, { type: 'price', priceId: stripePriceId }, { successUrl, cancelUrl })),
  }));

  router.route(getPaymentSession, async ({ caller, params }) => {
    const data = checkout && (await checkout.payment(caller.userId, params.sessionId).catch(rethrowUnread));
    if (!data) throw new SoukError('not_found');
    return { success: true as const, data };
  });
}

/** The user may have paid on the provider's page: the answer must not say that they were not charged. */
function rethrowUnread(error: unknown): never {
  if (!(error instanceof SoukError) || error.code !== 'payments_unavailable') throw error;
  throw new SoukError('payments_unavailable', {
    message:
      "We can't reach the payment provider right now. If you paid, your payment counts. Check again in a minute.",
    cause: error,
  });
}
