import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { noteBalance } from '../../changes/note-balance.ts';

/** Which card a subscription is charged to: the one that paid last, or the one that its owner chose since. */
export type FollowCards = {
  /** What has paid an invoice is charged from now on, if it may be charged again. */
  afterPayment(invoiceId: string, paymentId: string): Promise<void>;
  /** The owner chose another card in the provider's portal: for all that they pay for. */
  afterChoice(customerId: string): Promise<void>;
};

const idOf = (object: string | { id: string } | null | undefined) => (typeof object === 'string' ? object : object?.id);

export function createFollowCards({
  provider,
  query,
  clock,
}: {
  provider: PaymentProvider;
  query: Query;
  clock: Clock;
}): FollowCards {
  /** Events come in any order: one of an older payment takes no choice back. */
  async function hasChosenSince(customerId: string, paidAt: number | null | undefined): Promise<boolean> {
    const { rows } = await query('select from payment_customers where customer_id = $1 and card_chosen_at >= $2', [
      customerId,
      new Date((paidAt ?? 0) * 1000),
    ]);
    return rows.length > 0;
  }

  async function charge(paymentId: string, card: string): Promise<void> {
    const found = await provider.find((stripe) => stripe.subscriptions.retrieve(paymentId));
    if (!found || found.status === 'canceled' || idOf(found.default_payment_method) === card) return;
    await provider.call((stripe) => stripe.subscriptions.update(paymentId, { default_payment_method: card }));
  }

  return {
    async afterPayment(invoiceId, paymentId) {
      const { data } = await provider.call((stripe) => stripe.invoicePayments.list({ invoice: invoiceId, limit: 10 }));
      const payment = data.find(({ status }) => status === 'paid');
      const intentId = idOf(payment?.payment.payment_intent);
      if (intentId === undefined) return;
      const intent = await provider.find((stripe) =>
        stripe.paymentIntents.retrieve(intentId, { expand: ['payment_method'] }),
      );
      const card = intent?.payment_method;
      if (typeof card !== 'object' || !card?.customer) return;
      if (await hasChosenSince(String(idOf(card.customer)), payment?.status_transitions.paid_at)) return;
      await charge(paymentId, card.id);
    },
    async afterChoice(customerId) {
      const customer = await provider.find((stripe) => stripe.customers.retrieve(customerId));
      if (!customer || !('invoice_settings' in customer)) return;
      const { balance, currency } = customer;
      if (currency) await noteBalance(query, { id: customerId, balance, currency: currency.toUpperCase() });
      const card = idOf(customer.invoice_settings.default_payment_method);
      if (card === undefined) return;
      // any change of a customer is told; only another card than before is a choice
      const { rows } = await query(
        `select from payment_customers where customer_id = $1 and card_id is distinct from $2`,
        [customerId, card],
      );
      if (rows.length === 0) return;
      const { data } = await provider.call((stripe) => stripe.subscriptions.list({ customer: customerId, limit: 100 }));
      for (const { id } of data) await charge(id, card);
      await query('update payment_customers set card_id = $2, card_chosen_at = $3 where customer_id = $1', [
        customerId,
        card,
        new Date(clock.now()),
      ]);
    },
  };
}
