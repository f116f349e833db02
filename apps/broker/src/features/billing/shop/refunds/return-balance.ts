import type { Stripe } from 'stripe';
import { isRefusal, makeOnce, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { idOf } from '../id-of.ts';

/** Change of the customer's balance by an invoice, in minor units: positive where it used some of their credit. */
export const balanceUsedOf = ({
  starting_balance: start,
  ending_balance: end,
}: Pick<Stripe.Invoice, 'starting_balance' | 'ending_balance'>): number => (end ?? start) - start;

/**
 * Undoes an invoice's change of its customer's balance, once: nothing is delivered for the invoice.
 * @throws SoukError payments_unavailable: call again
 */
export async function returnBalance(
  provider: PaymentProvider,
  { invoiceId, used }: { invoiceId: string; used: number },
): Promise<void> {
  if (used === 0) return;
  const invoice = await provider.find((stripe) => stripe.invoices.retrieve(invoiceId));
  const customer = idOf(invoice?.customer);
  if (!invoice || customer === undefined) return;
  const find = async () => {
    const listed = await provider.find((stripe) => stripe.customers.listBalanceTransactions(customer, { limit: 100 }));
    return listed?.data.find(({ metadata }) => metadata?.['returnOf'] === invoiceId);
  };
  if (await find()) return;
  try {
    await makeOnce(
      provider,
      `return-balance:${invoiceId}`,
      (stripe, idempotencyKey) =>
        stripe.customers.createBalanceTransaction(
          customer,
          {
            amount: -used,
            currency: invoice.currency,
            description: `Return of ${invoice.number ?? invoiceId}`,
            metadata: { returnOf: invoiceId },
          },
          { idempotencyKey },
        ),
      find,
    );
  } catch (error) {
    // the customer was deleted, and their balance with them
    if (!isRefusal(error)) throw error;
  }
}
