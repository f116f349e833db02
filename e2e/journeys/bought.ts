import { createClient } from '@souk/contract/client.ts';
import { getPaymentSession, startCheckout } from '@souk/contract/billing/payments.ts';
import { waitUntil } from '../../apps/broker/src/testing/wait-until.ts';
import { goodCard } from './pay-with-card.ts';

type Wanted =
  | { type: 'rental'; mcpId: string }
  | { type: 'subscription'; planId: string }
  | { type: 'credit'; planId: string };

/**
 * Buys as a user, for journeys about what happens afterwards. The requests are those of the dialog and of the payment
 * page, but no page is rendered, which would take seconds of processor time.
 * @param accessToken of the user
 * @param card one that pays now
 */
export async function buy(publicUrl: string, accessToken: string, wanted: Wanted, card = goodCard): Promise<void> {
  const calls = createClient([startCheckout, getPaymentSession] as const, {
    baseUrl: publicUrl,
    fetch,
    token: async () => accessToken,
  });
  const body = wanted.type === 'rental' ? { ...wanted, period: 'monthly' as const } : wanted;
  const { checkoutUrl, sessionId } = await calls.startCheckout({ body });
  const form = new URLSearchParams({ number: card, expiry: '12/34', cvc: '123', name: 'Ada Lovelace' });
  const paid = await fetch(checkoutUrl, { method: 'POST', body: form, redirect: 'manual' });
  if (paid.status !== 303) throw new Error(`the card was not charged: ${paid.status} ${await paid.text()}`);
  await waitUntil('the payment', async () => {
    const { data } = await calls.getPaymentSession({ params: { sessionId } });
    return data.paymentStatus === 'paid';
  });
}
