import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { SoukError } from '#platform/errors.ts';
import { readSubscription, type ProviderSubscription } from './reading/read-subscription.ts';

/**
 * Drops an upgrade that waits for its payment, before its subscription is canceled: it would be paid for a plan that ends. The
 * provider drops it together with its invoice.
 * @throws SoukError payments_unavailable; not_active where the user pays it right now
 */
export async function dropUpgrade(provider: PaymentProvider, providerSubscriptionId: string): Promise<void> {
  const read = await readSubscription(provider, providerSubscriptionId);
  if (!read || read === 'missing' || !read.awaited) return;
  try {
    await voidUpgrade(provider, read.awaited);
  } catch (error) {
    if (!(error instanceof SoukError) || !isRefusal(error)) throw error;
    throw upgradeWasPaid(error.cause);
  }
}

export const upgradeWasPaid = (cause?: unknown): SoukError =>
  new SoukError('not_active', {
    message: 'Your upgrade has just been paid, so nothing was canceled. Check your plan and try again.',
    cause,
  });

/** Drops the pending upgrade of a subscription that was canceled at the provider, such as in its portal. */
export async function voidAwaited(provider: PaymentProvider, { awaited }: ProviderSubscription): Promise<void> {
  if (!awaited) return;
  try {
    await voidUpgrade(provider, awaited);
  } catch (error) {
    // paid meanwhile
    if (!isRefusal(error)) throw error;
  }
}

const voidUpgrade = (provider: PaymentProvider, { invoiceId }: NonNullable<ProviderSubscription['awaited']>) =>
  provider.call((stripe) => stripe.invoices.voidInvoice(invoiceId));
