import type { startCheckout } from '@souk/contract/billing/payments.ts';
import type { RequestInput } from '@souk/contract/endpoint.ts';
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { accountKey } from '#web/loading/account-key.ts';
import { config } from '#web/config.ts';
import { billingApi } from './billing-api.ts';
import { isStale } from './failure-texts.ts';
import { rememberBegunPayment } from './payment/begun-payment.ts';
import { offersQuery } from './queries.ts';

type CheckoutBody = RequestInput<typeof startCheckout>['body'];
/** `shownAmount`: cents that the page shows. The broker refuses if the price has changed. */
export type Purchase = DistributiveOmit<CheckoutBody, 'successUrl' | 'cancelUrl'>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

const resultPage = `${config.publicUrl}/payment/result`;

/**
 * Starts a payment and goes to the payment provider's page. Pending until the page is left.
 * @param userId undefined: a visitor, who is asked to sign in first
 */
export function useCheckout(userId: string | undefined) {
  const queries = useQueryClient();
  const checkout = useMutation({
    mutationFn: async (purchase: Purchase): Promise<never> => {
      const addresses = { successUrl: `${resultPage}?success=true`, cancelUrl: `${resultPage}?canceled=true` };
      const { checkoutUrl, sessionId } = await billingApi.startCheckout({ body: { ...purchase, ...addresses } });
      rememberBegunPayment(sessionId);
      window.location.assign(webAddress(checkoutUrl));
      return new Promise<never>(() => {});
    },
    async onError(error) {
      const refetched = refetchOffers(queries, userId);
      // the error asks the user to look at the new data, so that must be there first
      if (isStale(error)) await refetched;
    },
  });
  useResetOnReturn(checkout.reset);
  return checkout;
}

/** A refused offer may no longer be sold as shown, or the user may own it already. */
async function refetchOffers(queries: QueryClient, userId: string | undefined): Promise<void> {
  const shown = [offersQuery.queryKey, ['catalogue'], ...(userId === undefined ? [] : [accountKey(userId)])];
  await Promise.all(shown.map((queryKey) => queries.invalidateQueries({ queryKey })));
}

/** Resets the pending button when the browser restores this page from its cache, after Back on the payment page. */
export function useResetOnReturn(reset: () => void): void {
  useEffect(() => {
    const show = (event: PageTransitionEvent) => event.persisted && reset();
    window.addEventListener('pageshow', show);
    return () => window.removeEventListener('pageshow', show);
  }, [reset]);
}

/** @throws Error unless the address is http(s): another scheme could run code in this page */
export function webAddress(address: string): string {
  const { protocol, href } = new URL(address);
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error('The payment page has no web address.');
  return href;
}
