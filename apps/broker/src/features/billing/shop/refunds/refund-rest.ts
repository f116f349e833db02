import type { Stripe } from 'stripe';
import { isRefusal, makeOnce, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { SoukError } from '#platform/errors.ts';

/** Attempts where others refund the same payment at the same moment. */
const mostTurns = 3;

/** What has to be back at its payer. */
export type WantedReturn = {
  paymentIntentId: string;
  /** Minor units; undefined: all that was charged. */
  amount?: number;
  /** Metadata by which the refunds of this wish are found again at the provider. */
  name: { key: string; value: string };
  reason: 'duplicate' | 'requested_by_customer';
  /** Whether a refund that is not ours counts: one that the operator made by hand. */
  counts(refund: Stripe.Refund): boolean;
};

/** Minor units: what is back, what is on its way, and what the provider refuses to pay back, with its words. */
export type ReturnAnswer = {
  returned: number;
  pending: number;
  missing: number;
  refused: string | undefined;
  /** Those that count, in any state but failed. */
  refunds: Stripe.Refund[];
};

type State = Omit<ReturnAnswer, 'refused'> & {
  /** Refunds of ours that the bank did not carry out. */
  failed: number;
  /** What can be refunded at all. */
  ceiling: number;
};

/**
 * Has the rest of what is owed refunded at the provider. Refunds count by their amounts, ours and others, and only what the bank has
 * carried out is back. May be repeated after a failure at any step, by several brokers.
 * @throws SoukError payments_unavailable: call again
 */
export async function refundRest(provider: PaymentProvider, wanted: WantedReturn): Promise<ReturnAnswer> {
  for (let turn = 1; ; turn += 1) {
    const state = await readState(provider, wanted);
    const amount = restOf(state);
    if (amount === 0) return present(state);
    try {
      await refund(provider, wanted, { ...state, amount });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const now = await readState(provider, wanted);
      // someone else was faster
      if (now.ceiling !== state.ceiling && turn < mostTurns) continue;
      return present(now, wordsOf(error));
    }
    return present(await readState(provider, wanted));
  }
}

/** Where more went back in another way than was thought, nothing is left to refund. */
const restOf = ({ missing, ceiling }: State): number => Math.max(0, Math.min(missing, ceiling));

function present(state: State, refused = 'the refund failed at the payment provider'): ReturnAnswer {
  const { returned, pending, refunds } = state;
  const missing = restOf(state);
  return { returned, pending, refunds, missing, refused: missing === 0 ? undefined : refused };
}

/** One refund. The key follows from what was refunded before: another amount, or another try after a failure, is another one. */
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
