import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';

/**
 * Ends the collection of invoices of a subscription that are not paid: an end of the subscription alone leaves its open invoice
 * to be charged again. `void`: nobody can pay them any more. `stop`: only their owner can, on their page.
 * @throws SoukError payments_unavailable
 */
export async function stopCollecting(
  provider: PaymentProvider,
  subscription: string,
  how: 'void' | 'stop' | 'go on',
): Promise<void> {
  const { data } = await provider.call((stripe) => stripe.invoices.list({ subscription, status: 'open', limit: 100 }));
  for (const { id, auto_advance: isCollected } of data) {
    if (how !== 'void' && isCollected === (how === 'go on')) continue;
    try {
      await provider.call((stripe) =>
        how === 'void'
          ? stripe.invoices.voidInvoice(id ?? '')
          : stripe.invoices.update(id ?? '', { auto_advance: how === 'go on' }),
      );
    } catch (error) {
      // paid meanwhile
      if (!isRefusal(error)) throw error;
    }
  }
}
