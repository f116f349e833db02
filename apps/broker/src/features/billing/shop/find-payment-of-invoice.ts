import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { idOf } from './id-of.ts';

export async function findPaymentOfInvoice(
  provider: PaymentProvider,
  invoice: string | undefined,
): Promise<string | undefined> {
  if (invoice === undefined) return undefined;
  const { data } = await provider.call((stripe) => stripe.invoicePayments.list({ invoice, limit: 10 }));
  return idOf(data.find(({ status }) => status === 'paid')?.payment.payment_intent);
}
