import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';

/**
 * Ends the collection of invoices of a subscription that are not paid: an end of the subscription alone leaves its open invoice
 * to be paid or charged. `void`: nobody can pay them any more, those that were written off too. `stop`: only their owner can, on
 * their page.
 * @throws SoukError payments_unavailable
 */
export async function stopCollecting(
  provider: PaymentProvider,
  subscription: string,
  how: 'void' | 'stop' | 'go on',
): Promise<void> {
  const { data } = await provider.call((stripe) => stripe.invoices.list({ subscription, limit: 100 }));
  const meant = how === 'void' ? ['open', 'uncollectible'] : ['open'];
  for (const { id, status, auto_advance: isCollected } of data) {
    if (!meant.includes(status ?? '')) continue;
    if (how !== 'void' && isCollected === (how === 'go on')) continue;
    try {
      await provider.call((stripe) =>
        how === 'void'
          ? stripe.invoices.voidInvoice(id ?? '')
          : stripe.invoices.update(id ?? '', { auto_advance: how === 'go on' }),
      );
    } catch (error) {
      // paid meanwhile, or by a debit that is on its way
      if (!isRefusal(error)) throw error;
    }
  }
}
