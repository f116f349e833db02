import type { Stripe } from 'stripe';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { recordTransaction, type NewTransaction } from '../../record-transaction.ts';
import { refundRest } from '../../refunds/refund-rest.ts';
import { balanceUsedOf, returnBalance } from '../../refunds/return-balance.ts';
import { cancelAtProvider } from '../../subscriptions/ends/end-at-provider.ts';
import { taxOfReturn } from '../../tax-of-return.ts';
import { keyOf, paidTwice, toldReason, transactionTypes, type Order } from '../orders/order.ts';
import { decideOrder } from '../orders/order-store.ts';
import { idOf } from '../read-session.ts';

/**
 * refunded: all of it is back. before: another call has seen to that. pending: the bank has not carried out all of it yet.
 * refused: the provider refuses what is missing, and an operator has to look.
 */
export type GivenBack = 'refunded' | 'before' | 'pending' | { refused: string };

type Given = { db: Database; provider: PaymentProvider; uuid: () => string; now: () => number };

/**
 * Refunds a payment for what cannot be had, and ends its subscription at the provider. May be repeated after a failure at any
 * step: each step has happened then, or happens now.
 * @param tell writes what an operator reads of it, in the transaction that decides the order
 */
export async function giveBack(
  given: Given,
  order: Order,
  tell: (query: Query, at: Date) => Promise<void>,
): Promise<GivenBack> {
  const { provider } = given;
  const { subscriptionId } = order;
  if (subscriptionId === undefined && order.kind !== 'credits')
    throw new Error(`order ${order.id} has no subscription to end`);
  const subscription =
    subscriptionId === undefined ? undefined : (await cancelAtProvider(provider, subscriptionId)).found;
  const invoiceId = idOf(subscription?.latest_invoice ?? null);
  const paymentIntentId = order.paymentIntentId ?? (await firstPayment(provider, invoiceId));
  const back =
    paymentIntentId === undefined
      ? undefined
      : await refundRest(provider, {
          paymentIntentId,
          name: { key: 'orderId', value: order.id },
          reason: order.reason === paidTwice ? 'duplicate' : 'requested_by_customer',
          // nothing is given for it: whatever goes back, goes back of this
          counts: () => true,
        });
  if (back?.refused !== undefined) return { refused: back.refused };
  if (back && back.pending > 0) return 'pending';
  if (invoiceId !== undefined) await returnBalanceOf(provider, invoiceId);
  return record(given, order, { paymentIntentId, refunds: back?.refunds ?? [] }, tell);
}

async function returnBalanceOf(provider: PaymentProvider, invoiceId: string): Promise<void> {
  const invoice = await provider.find((stripe) => stripe.invoices.retrieve(invoiceId));
  if (invoice) await returnBalance(provider, { invoiceId, used: balanceUsedOf(invoice) });
}

/** Decides the order, with the payment and each of its refunds in the history. */
function record(
  { db, uuid, now }: Given,
  order: Order,
  { paymentIntentId, refunds }: { paymentIntentId: string | undefined; refunds: readonly Stripe.Refund[] },
  tell: (query: Query, at: Date) => Promise<void>,
): Promise<GivenBack> {
  const row = (
    one: Pick<NewTransaction, 'type' | 'status' | 'description' | 'amount' | 'currency' | 'idem' | 'at'>,
  ) => ({
    ...one,
    id: uuid(),
    userId: order.userId,
    livemode: order.livemode,
    serverId: order.kind === 'rental' ? order.itemId : undefined,
    paymentIntentId,
  });
  return db.transaction(async (query) => {
    const at = new Date(now());
    if (!(await decideOrder(query, order.id, ['returning'], { status: 'refunded', at, paymentIntentId })))
      return 'before';
    await tell(query, at);
    const { description } = order;
    const sum = refunds.reduce((amount, refund) => amount + refund.amount, 0);
    const paid = order.paid ?? { total: sum, discount: 0, tax: 0 };
    const payment = {
      type: transactionTypes[order.kind],
      status: 'refunded' as const,
      description,
      idem: keyOf(order),
      at,
    };
    await recordTransaction(query, {
      ...row({ ...payment, amount: paid.total, currency: order.currency }),
      tax: paid.tax,
      discount: paid.discount,
    });
    // it may be in the history as one that is being checked, and without what the events of its refunds are about
    await query(
      `update transactions set payment_intent_id = coalesce(payment_intent_id, $2), status = 'refunded'
       where idem = $1 and status in ('pending', 'completed', 'refunded')`,
      [keyOf(order), paymentIntentId ?? null],
    );
    for (const { id, amount, currency, metadata } of refunds) {
      const fact = `refund:${id}`;
      const isOurs = metadata?.['orderId'] === order.id;
      const told = isOurs ? `${description}: ${toldReason(order)}, refunded` : `Refund: ${description}`;
      await recordTransaction(query, {
        ...row({
          type: 'refund',
          status: 'completed',
          description: told,
          amount,
          currency: currency.toUpperCase(),
          idem: fact,
          at,
        }),
        tax: await taxOfReturn(query, { paymentIntentId, fact, amount, currency }),
      });
    }
    return 'refunded';
  });
}

/** What paid the invoice of a new subscription. */
export async function firstPayment(provider: PaymentProvider, id: string | undefined): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const { data } = await provider.call((stripe) => stripe.invoicePayments.list({ invoice: id, limit: 10 }));
  const paid = data.find(({ status }) => status === 'paid')?.payment.payment_intent;
  return typeof paid === 'string' ? paid : paid?.id;
}
