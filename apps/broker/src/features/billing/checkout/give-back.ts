import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Database } from '#platform/db/database.ts';
import { recordTransaction } from '../record-transaction.ts';
import { accountDeleted, keyOf, type Order } from './order.ts';
import { decideOrder } from './order-store.ts';

/**
 * Refunds a second payment for one thing, or one that came after its account was deleted, and ends its subscription at the
 * provider. May be repeated after a failure at any step: each step has happened then, or happens now.
 */
export async function giveBack(
  { db, provider, uuid, now }: { db: Database; provider: PaymentProvider; uuid: () => string; now: () => number },
  order: Order,
): Promise<void> {
  const { subscriptionId } = order;
  if (subscriptionId === undefined && order.kind !== 'credits')
    throw new Error(`order ${order.id} has no subscription to end`);
  const subscription = subscriptionId === undefined ? undefined : await endSubscription(provider, subscriptionId);
  const paymentIntentId = order.paymentIntentId ?? (await firstPayment(provider, subscription?.latest_invoice));
  const refund = paymentIntentId === undefined ? undefined : await refundOnce(provider, order, paymentIntentId);
  await db.transaction(async (query) => {
    const at = new Date(now());
    const isNew = await decideOrder(query, order.id, ['duplicate'], { status: 'refunded', at, paymentIntentId });
    if (!isNew || !refund) return;
    await recordTransaction(query, {
      id: uuid(),
      userId: order.userId,
      livemode: order.livemode,
      type: 'refund',
      status: 'completed',
      description: `${order.description}: ${order.reason === accountDeleted ? order.reason : 'paid twice'}, refunded`,
      serverId: order.kind === 'rental' ? order.itemId : undefined,
      amount: refund.amount,
      currency: order.currency,
      paymentIntentId,
      idem: `refund:${refund.id}`,
      at,
    });
  });
}

async function endSubscription(provider: PaymentProvider, id: string) {
  const subscription = await provider.find((stripe) => stripe.subscriptions.retrieve(id));
  if (subscription && subscription.status !== 'canceled') {
    // no invoice and no proration: all of it is refunded
    await provider.call((stripe) => stripe.subscriptions.cancel(id));
  }
  return subscription;
}

/** What paid the invoice of a new subscription. */
async function firstPayment(
  provider: PaymentProvider,
  invoice: string | { id: string } | null | undefined,
): Promise<string | undefined> {
  if (!invoice) return undefined;
  const id = typeof invoice === 'string' ? invoice : invoice.id;
  const { data } = await provider.call((stripe) => stripe.invoicePayments.list({ invoice: id, limit: 10 }));
  const paid = data.find(({ status }) => status === 'paid')?.payment.payment_intent;
  return typeof paid === 'string' ? paid : paid?.id;
}

/** The refund of this order: the one that was made, or a new one. */
async function refundOnce(provider: PaymentProvider, order: Order, paymentIntentId: string) {
  const made = await provider.call((stripe) => stripe.refunds.list({ payment_intent: paymentIntentId, limit: 10 }));
  const [earlier] = made.data.filter(({ status }) => status !== 'failed' && status !== 'canceled');
  if (earlier) return earlier;
  return provider.call((stripe) =>
    stripe.refunds.create(
      {
        payment_intent: paymentIntentId,
        reason: order.reason === accountDeleted ? 'requested_by_customer' : 'duplicate',
        metadata: { orderId: order.id },
      },
      { idempotencyKey: `${keyOf(order)}:refund` },
    ),
  );
}
