import type { Stripe } from 'stripe';
import { isRefusal, makeOnce, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { SoukError } from '#platform/errors.ts';

/** Attempts while others refund the same payment concurrently. */
const maxAttempts = 3;

export type WantedReturn = {
  paymentIntentId: string;
  /** Minor units; undefined: all that was charged. */
  amount?: number;
  /** Metadata by which our refunds are found at the provider. */
  name: { key: string; value: string };
  reason: 'duplicate' | 'requested_by_customer';
  /** Whether a refund that is not ours counts, such as a manual one by the operator. */
  counts(refund: Stripe.Refund): boolean;
};

/** Minor units that are refunded, pending, and missing; `refused`: why the provider refuses the missing part. */
export type ReturnAnswer = {
  returned: number;
  pending: number;
  missing: number;
  refused: string | undefined;
  /** Refunds that count, in any state but failed. */
  refunds: Stripe.Refund[];
};

type State = Omit<ReturnAnswer, 'refused'> & {
  /** Our refunds that the bank did not carry out. */
  failed: number;
  /** Minor units that can be refunded at most. */
  ceiling: number;
};

/**
 * Refunds the rest of an owed amount at the provider. Existing refunds, ours and others, reduce it by their amounts. Only
 * refunds that the bank has carried out count as refunded. Repeatable after a failure at any step, by several brokers.
 * @throws SoukError payments_unavailable: call again
 */
export async function refundRest(provider: PaymentProvider, wanted: WantedReturn): Promise<ReturnAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const state = await readState(provider, wanted);
    const amount = restOf(state);
    if (amount === 0) return present(state);
    try {
      await refund(provider, wanted, { ...state, amount });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const now = await readState(provider, wanted);
      // another refund was faster
      if (now.ceiling !== state.ceiling && attempt < maxAttempts) continue;
      return present(now, wordsOf(error));
    }
    return present(await readState(provider, wanted));
  }
}

/** Never more than can be refunded: other refunds may have taken more than was known. */
const restOf = ({ missing, ceiling }: State): number => Math.max(0, Math.min(missing, ceiling));

function present(state: State, refused = 'the refund failed at the payment provider'): ReturnAnswer {
  const { returned, pending, refunds } = state;
  const missing = restOf(state);
  return { returned, pending, refunds, missing, refused: missing === 0 ? undefined : refused };
}

/** Makes one refund. Its key is made of what was refunded before: another amount, or a retry after a failure, has another key. */
async function refund(
  provider: PaymentProvider,
  wanted: WantedReturn,
  { returned, pending, failed, missing, amount }: State & { amount: number },
): Promise<void> {
  const { paymentIntentId, name, reason } = wanted;
  const metadata = { [name.key]: name.value };
  await makeOnce(
    provider,
    ['return', name.value, paymentIntentId, returned + pending, amount, failed].join(':'),
    (stripe, idempotencyKey) =>
      stripe.refunds.create({ payment_intent: paymentIntentId, amount, reason, metadata }, { idempotencyKey }),
    async () => {
      const now = await readState(provider, wanted);
      return now.missing < missing ? now.refunds[0] : undefined;
    },
  );
}

async function readState(
  provider: PaymentProvider,
  { paymentIntentId, amount, name, counts }: WantedReturn,
): Promise<State> {
  const [intent, { data }] = await Promise.all([
    provider.call((stripe) => stripe.paymentIntents.retrieve(paymentIntentId, { expand: ['latest_charge'] })),
    provider.call((stripe) => stripe.refunds.list({ payment_intent: paymentIntentId, limit: 100 })),
  ]);
  const charge =
    typeof intent.latest_charge === 'object' && intent.latest_charge?.paid ? intent.latest_charge : undefined;
  const charged = charge?.amount ?? 0;
  const isOurs = ({ metadata }: Stripe.Refund) => metadata?.[name.key] === name.value;
  const alive = data.filter(({ status }) => status !== 'failed' && status !== 'canceled');
  const refunds = alive.filter((one) => isOurs(one) || counts(one));
  const returned = sumOf(refunds.filter(({ status }) => status === 'succeeded'));
  const pending = sumOf(refunds) - returned;
  return {
    returned,
    pending,
    missing: Math.max(0, Math.min(amount ?? charged, charged) - returned - pending),
    ceiling: charged - sumOf(alive),
    failed: data.filter((one) => !alive.includes(one) && isOurs(one)).length,
    refunds,
  };
}

const sumOf = (refunds: readonly Stripe.Refund[]): number => refunds.reduce((sum, { amount }) => sum + amount, 0);

const wordsOf = (error: unknown): string =>
  error instanceof SoukError && error.cause instanceof Error ? error.cause.message : String(error);
