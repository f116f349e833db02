import { makeOnce, isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { recordTransaction } from '../record-transaction.ts';
import { taxOfReturn } from '../tax-of-return.ts';
import { cancelAtProvider } from '../subscriptions/end-at-provider.ts';
import { keyOf, paidTwice, transactionTypes, type Order } from './order.ts';
import { decideOrder } from './order-store.ts';

/**
 * Refunds a payment for what cannot be had, and ends its subscription at the provider. May be repeated after a failure at any
 * step: each step has happened then, or happens now.
 * @param tell writes what an operator reads of it, in the transaction that decides the order
 * @returns before: another call has done it; refused: the provider will never refund it, and an operator has to look
 */
export async function giveBack(
  { db, provider, uuid, now }: { db: Database; provider: PaymentProvider; uuid: () => string; now: () => number },
  order: Order,
  tell: (query: Query, at: Date) => Promise<void>,
): Promise<'refunded' | 'before' | { refused: string }> {
  const { subscriptionId } = order;
  if (subscriptionId === undefined && order.kind !== 'credits')
    throw new Error(`order ${order.id} has no subscription to end`);
  const subscription =
    subscriptionId === undefined ? undefined : (await cancelAtProvider(provider, subscriptionId)).found;
  const paymentIntentId = order.paymentIntentId ?? (await firstPayment(provider, subscription?.latest_invoice));
  const refund = paymentIntentId === undefined ? undefined : await refundOnce(provider, order, paymentIntentId);
  if (refund && 'refused' in refund) return refund;
  return db.transaction(async (query) => {
    const at = new Date(now());
    const isNew = await decideOrder(query, order.id, ['returning'], { status: 'refunded', at, paymentIntentId });
    if (isNew) await tell(query, at);
    if (!isNew || !refund) return isNew ? 'refunded' : 'before';
    // of one that was flagged nothing was recorded yet
    await recordTransaction(query, {
      id: uuid(),
      userId: order.userId,
      livemode: order.livemode,
      type: transactionTypes[order.kind],
      status: 'refunded',
      description: order.description,
      serverId: order.kind === 'rental' ? order.itemId : undefined,
      amount: refund.amount,
      tax: Math.min(order.paid?.tax ?? 0, refund.amount),
      discount: order.paid?.discount ?? 0,
      currency: refund.currency.toUpperCase(),
      paymentIntentId,
      idem: keyOf(order),
      at,
    });
    // what the events of its refund are about
    await query('update transactions set payment_intent_id = coalesce(payment_intent_id, $2) where idem = $1', [
      keyOf(order),
      paymentIntentId,
    ]);
    const fact = `refund:${refund.id}`;
    const { amount, currency } = refund;
    await recordTransaction(query, {
      id: uuid(),
      userId: order.userId,
      livemode: order.livemode,
      type: 'refund',
      status: 'completed',
      description: `${order.description}: ${order.reason ?? paidTwice}, refunded`,
      serverId: order.kind === 'rental' ? order.itemId : undefined,
      amount,
      tax: await taxOfReturn(query, { paymentIntentId, fact, amount, currency }),
      currency: currency.toUpperCase(),
      paymentIntentId,
      idem: fact,
      at,
    });
    return 'refunded';
  });
}

/** What paid the invoice of a new subscription. */
export async function firstPayment(
  provider: PaymentProvider,
  invoice: string | { id: string } | null | undefined,
): Promise<string | undefined> {
  if (!invoice) return undefined;
  const id = typeof invoice === 'string' ? invoice : invoice.id;
  const { data } = await provider.call((stripe) => stripe.invoicePayments.list({ invoice: id, limit: 10 }));
  const paid = data.find(({ status }) => status === 'paid')?.payment.payment_intent;
  return typeof paid === 'string' ? paid : paid?.id;
}

/** The refund of this order: the one that was made, or a new one of what has not gone back in another way. */
async function refundOnce(provider: PaymentProvider, order: Order, paymentIntentId: string) {
  const read = () => provider.call((stripe) => stripe.refunds.list({ payment_intent: paymentIntentId, limit: 100 }));
  const { data } = await read();
  const isBack = ({ status }: { status: string | null }) => status !== 'failed' && status !== 'canceled';
  const made = data.filter(isBack);
  const isOurs = ({ metadata }: { metadata: Record<string, string> | null }) => metadata?.['orderId'] === order.id;
  const earlier = made.find(isOurs);
  if (earlier) return earlier;
  // one that failed at the bank may be tried again, under another key
  const failed = data.length - made.length;
  const findMade = async () => (await read()).data.filter(isBack).find(isOurs);
  try {
    return await makeOnce(
      provider,
      `${keyOf(order)}:refund${failed === 0 ? '' : `:${failed}`}`,
      (stripe, idempotencyKey) =>
        stripe.refunds.create(
          {
            payment_intent: paymentIntentId,
            reason: order.reason === paidTwice ? 'duplicate' : 'requested_by_customer',
            metadata: { orderId: order.id },
          },
          { idempotencyKey },
        ),
      findMade,
    );
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // all of it has gone back by the provider's own dashboard
    const [byHand] = made;
    if (byHand) return byHand;
    return { refused: error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error) };
  }
}
