import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';

/**
 * Stops or resumes the collection of a subscription's unpaid invoices: the end of a subscription leaves its open invoice to be
 * paid or charged. `void`: invoices can no longer be paid, written-off ones included. `stop`: only their owner can pay them, on
 * their page.
 * @throws SoukError payments_unavailable
 */
export async function setCollection(
  provider: PaymentProvider,
  subscription: string,
  how: 'void' | 'stop' | 'resume',
): Promise<void> {
  const { data } = await provider.call((stripe) => stripe.invoices.list({ subscription, limit: 100 }));
  const meant = how === 'void' ? ['open', 'uncollectible'] : ['open'];
  for (const { id, status, auto_advance: isCollected } of data) {
    if (!meant.includes(status ?? '')) continue;
    if (how !== 'void' && isCollected === (how === 'resume')) continue;
    try {
      await provider.call((stripe) =>
        how === 'void'
          ? stripe.invoices.voidInvoice(id ?? '')
          : stripe.invoices.update(id ?? '', { auto_advance: how === 'resume' }),
      );
    } catch (error) {
      // paid meanwhile, or by a debit in progress
      if (!isRefusal(error)) throw error;
    }
  }
}
