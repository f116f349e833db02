import { makeOnce, isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { SoukError } from '#platform/errors.ts';
import type { RefundPayment } from './refund-store.ts';

/**
 * refunded: `amount` went back. refused: nothing did, and asking again would not help. lower: less than was asked for is left of
 * the payment.
 */
export type RefundAnswer =
  | { kind: 'refunded'; amount: number; refundId?: string }
  | { kind: 'refused'; reason: string }
  | { kind: 'lower'; left: number };

/**
 * Has one payment refunded at the provider, once: a repeat finds the refund that was made, and one that crosses it has the same
 * Idempotency-Key.
 * @param refundId ours: the name of the refund there
 * @throws SoukError payments_unavailable: it may have been made, so ask again with the same amount
 */
export async function refundPayment(
  provider: PaymentProvider,
  refundId: string,
  { paymentIntentId, amount }: RefundPayment,
): Promise<RefundAnswer> {
  const findMade = async () => {
    const { data } = await provider.call((stripe) =>
      stripe.refunds.list({ payment_intent: paymentIntentId, limit: 100 }),
    );
    return data.find(({ metadata }) => metadata?.['accessRefund'] === refundId);
  };
  const earlier = await findMade();
  if (earlier) return answerOf(earlier);
  if (amount === 0) return { kind: 'refunded', amount };
  try {
    const refund = await makeOnce(
      provider,
      `access-refund:${refundId}:${paymentIntentId}:${amount}`,
      (stripe, idempotencyKey) =>
        stripe.refunds.create(
          {
            payment_intent: paymentIntentId,
            amount,
            reason: 'requested_by_customer',
            metadata: { accessRefund: refundId },
          },
          { idempotencyKey },
        ),
      findMade,
    );
    return answerOf(refund);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return judgeRefusal(provider, paymentIntentId, amount, error);
  }
}

const answerOf = ({ id, status, amount }: { id: string; status: string | null; amount: number }): RefundAnswer =>
  status === 'failed' || status === 'canceled'
    ? { kind: 'refused', reason: `the refund is ${status} at the payment provider` }
    : { kind: 'refunded', amount, refundId: id };

/** Money that went back meanwhile, as by the provider's own dashboard, leaves less to refund; anything else is final. */
async function judgeRefusal(
  provider: PaymentProvider,
  paymentIntentId: string,
  amount: number,
  error: unknown,
): Promise<RefundAnswer> {
  const intent = await provider.call((stripe) =>
    stripe.paymentIntents.retrieve(paymentIntentId, { expand: ['latest_charge'] }),
  );
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : undefined;
  const left = charge ? charge.amount - charge.amount_refunded : 0;
  if (charge && !charge.disputed && left < amount) return { kind: 'lower', left };
  const cause = error instanceof SoukError && error.cause instanceof Error ? error.cause.message : String(error);
  return { kind: 'refused', reason: cause };
}
