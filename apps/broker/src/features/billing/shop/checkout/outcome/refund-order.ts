import type { Stripe } from 'stripe';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Query } from '#platform/db/database.ts';
import { findPaymentOfInvoice } from '../../find-payment-of-invoice.ts';
import { idOf } from '../../id-of.ts';
import { recordTransaction } from '../../record-transaction.ts';
import { refundRest } from '../../refunds/refund-rest.ts';
import { balanceUsedOf, returnBalance } from '../../refunds/return-balance.ts';
import type { ShopParts } from '../../shop-parts.ts';
import { cancelAtProvider } from '../../subscriptions/ends/end-at-provider.ts';
import { taxOfRefund } from '../../tax-of-refund.ts';
import { keyOf, paidTwice, shownReason, type Order } from '../orders/order.ts';
import { decideOrder } from '../orders/order-store.ts';
import { ownerOf, transactionTypes } from '../orders/order-transaction.ts';

/**
 * refunded: all of it is refunded. already: another call has refunded it. pending: the bank has not carried out all of it yet.
 * refused: the provider refuses the rest, and an operator has to look.
 */
export type OrderRefund = 'refunded' | 'already' | 'pending' | { refused: string };

type RefundParts = Pick<ShopParts, 'db' | 'provider' | 'uuid' | 'clock'>;

/**
 * Refunds a payment for what cannot be delivered, and ends its subscription at the provider. May be repeated after a failure at
 * any step: steps that have already happened are skipped.
 * @param audit writes the audit row, in the transaction that decides the order
 */
export async function refundOrder(
  parts: RefundParts,
  order: Order,
  audit: (query: Query, at: Date) => Promise<void>,
): Promise<OrderRefund> {
  const { provider } = parts;
  const { subscriptionId } = order;
  if (subscriptionId === undefined && order.kind !== 'credits')
    throw new Error(`order ${order.id} has no subscription to end`);
  const subscription =
    subscriptionId === undefined ? undefined : (await cancelAtProvider(provider, subscriptionId)).found;
  const invoiceId = idOf(subscription?.latest_invoice);
  const paymentIntentId = order.paymentIntentId ?? (await findPaymentOfInvoice(provider, invoiceId));
  const back =
    paymentIntentId === undefined
      ? undefined
      : await refundRest(provider, {
          paymentIntentId,
          name: { key: 'orderId', value: order.id },
          reason: order.reason === paidTwice ? 'duplicate' : 'requested_by_customer',
          // nothing is delivered for the payment: every refund of it counts
          counts: () => true,
        });
  if (back?.refused !== undefined) return { refused: back.refused };
  if (back && back.pending > 0) return 'pending';
  if (invoiceId !== undefined) await returnBalanceOf(provider, invoiceId);
  return record(parts, order, { paymentIntentId, refunds: back?.refunds ?? [] }, audit);
}

async function returnBalanceOf(provider: PaymentProvider, invoiceId: string): Promise<void> {
  const invoice = await provider.find((stripe) => stripe.invoices.retrieve(invoiceId));
  if (invoice) await returnBalance(provider, { invoiceId, used: balanceUsedOf(invoice) });
}

/** Decides the order, and records the payment and each of its refunds in the history. */
function record(
  { db, uuid, clock }: RefundParts,
  order: Order,
  { paymentIntentId, refunds }: { paymentIntentId: string | undefined; refunds: readonly Stripe.Refund[] },
  audit: (query: Query, at: Date) => Promise<void>,
): Promise<OrderRefund> {
  return db.transaction(async (query) => {
    const at = new Date(clock.now());
    if (!(await decideOrder(query, order.id, ['returning'], { status: 'refunded', at, paymentIntentId })))
      return 'already';
    await audit(query, at);
    const sum = refunds.reduce((amount, refund) => amount + refund.amount, 0);
    const { total: amount, discount, tax } = order.paid ?? { total: sum, discount: 0, tax: 0 };
    const { description, currency } = order;
    const common = { ...ownerOf(order), paymentIntentId, at };
    await recordTransaction(query, {
      ...common,
      id: uuid(),
      type: transactionTypes[order.kind],
      status: 'refunded',
      description,
      amount,
      discount,
      tax,
      currency,
      idem: keyOf(order),
    });
    // the history may show it as pending, and without the payment intent that the events of its refunds name
    await query(
      `update transactions set payment_intent_id = coalesce(payment_intent_id, $2), status = 'refunded'
       where idem = $1 and status in ('pending', 'completed', 'refunded')`,
      [keyOf(order), paymentIntentId ?? null],
    );
    for (const refund of refunds) {
      const idem = `refund:${refund.id}`;
      const isOurs = refund.metadata?.['orderId'] === order.id;
      const refundedTax = await taxOfRefund(query, { paymentIntentId, fact: idem, ...refund });
      await recordTransaction(query, {
        ...common,
        id: uuid(),
        type: 'refund',
        status: 'completed',
        description: isOurs ? `${description}: ${shownReason(order)}, refunded` : `Refund: ${description}`,
        amount: refund.amount,
        tax: refundedTax,
        currency: refund.currency.toUpperCase(),
        idem,
      });
    }
    return 'refunded';
  });
}
