import { recordBalance } from '../../changes/record-balance.ts';
import { idOf } from '../../id-of.ts';
import type { ShopParts } from '../../shop-parts.ts';

/** Keeps subscriptions charged to the card that paid last, or that their owner chose since. */
export type FollowCards = {
  /** Charges the subscription to the method that has paid an invoice, if that may be charged again. */
  afterPayment(invoiceId: string, providerSubscriptionId: string): Promise<void>;
  /** Charges all subscriptions of a customer to the card that they chose in the provider's portal. */
  afterChoice(customerId: string): Promise<void>;
};

export function createFollowCards(parts: Pick<ShopParts, 'provider' | 'db' | 'clock'>): FollowCards {
  const { provider, clock } = parts;
  const { query } = parts.db;

  /** Events come in any order: an older payment must not undo a choice. */
  async function hasChosenSince(customerId: string, paidAt: number | null | undefined): Promise<boolean> {
    const { rows } = await query('select from payment_customers where customer_id = $1 and card_chosen_at >= $2', [
      customerId,
      new Date((paidAt ?? 0) * 1000),
    ]);
    return rows.length > 0;
  }

  async function charge(id: string, card: string): Promise<void> {
    const found = await provider.find((stripe) => stripe.subscriptions.retrieve(id));
    if (!found || found.status === 'canceled' || idOf(found.default_payment_method) === card) return;
    await provider.call((stripe) => stripe.subscriptions.update(id, { default_payment_method: card }));
  }

  return {
    async afterPayment(invoiceId, providerSubscriptionId) {
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
      await charge(providerSubscriptionId, card.id);
    },
    async afterChoice(customerId) {
      const customer = await provider.find((stripe) => stripe.customers.retrieve(customerId));
      if (!customer || !('invoice_settings' in customer)) return;
      const { balance, currency } = customer;
      if (currency) await recordBalance(query, { id: customerId, balance, currency: currency.toUpperCase() });
      const card = idOf(customer.invoice_settings.default_payment_method);
      if (card === undefined) return;
      // every change of a customer is an event; only another card is a choice
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
