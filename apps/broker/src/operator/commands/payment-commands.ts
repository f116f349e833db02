import { z } from 'zod';
import type { Billing } from '#features/billing/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import type { FlaggedShown, PaymentDecided } from './billing-results.ts';

const decisionSchema = z.object({ order: z.uuid(), decision: z.enum(['return', 'close']) });

export const reconciledSchema = z.object({
  orders: z.object({
    checked: z.int(),
    fulfilled: z.int(),
    expired: z.int(),
    flagged: z.int(),
    refunded: z.int(),
    unanswered: z.int(),
  }),
  /** Payments at the provider that were unknown here. */
  missedPayments: z.int(),
  /** Disputes at the provider that were missing or outdated here. */
  missedDisputes: z.int(),
  missedRefunds: z.int(),
  /** Subscriptions that had changed at the payment provider without an event. */
  driftedSubscriptions: z.int(),
});

/** `souk payments flagged` and `decide`, about payments that differ from their order, and `souk reconcile`. */
export function paymentCommands({ billing }: { billing: Pick<Billing, 'payments'> }): OperatorCommands {
  function payments() {
    if (!billing.payments) throw new SoukError('payments_off');
    return billing.payments;
  }
  return {
    'payments.flagged': async (): Promise<FlaggedShown> => ({
      flagged: (await payments().checkout.flagged.list()).map(
        ({ id, userId, description, amount, currency, reason, ...order }) => ({
          orderId: id,
          userId,
          description,
          amount,
          currency,
          reason: reason ?? '',
          paymentIntentId: order.paymentIntentId ?? null,
        }),
      ),
    }),
    'payments.decide': async (args): Promise<PaymentDecided> => {
      const { order, decision } = decisionSchema.parse(args);
      const decided = await payments().checkout.flagged.decide(order, decision);
      if (!decided) throw new SoukError('not_found', { message: `There is no flagged payment ${order}` });
      return { orderId: decided.id, status: decided.status };
    },
    /** Compares our records of payments with the payment provider, and repairs them. */
    async reconcile(): Promise<z.output<typeof reconciledSchema>> {
      const ours = payments();
      const orders = await ours.reconcileOrders();
      const driftedSubscriptions = await ours.subscriptions.reconcile();
      const missedPayments = await ours.findMissed();
      const missedDisputes = await ours.clawback.findMissedDisputes();
      const missedRefunds = await ours.clawback.findMissedRefunds();
      return { orders, driftedSubscriptions, missedPayments, missedDisputes, missedRefunds };
    },
  };
}
