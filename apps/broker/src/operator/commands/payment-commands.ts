import { z } from 'zod';
import type { Billing } from '#features/billing/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import type { FlaggedShown, PaymentDecided } from './billing-results.ts';

const decisionSchema = z.object({ order: z.uuid(), decision: z.enum(['return', 'close']) });

/** `souk payments …`: what an operator decides about payments that are not what was ordered. */
export function paymentCommands({ billing }: { billing: Pick<Billing, 'payments'> }): OperatorCommands {
  function flaggedOrders() {
    if (!billing.payments) throw new SoukError('payments_off');
    return billing.payments.checkout.flagged;
  }
  return {
    'payments.flagged': async (): Promise<FlaggedShown> => ({
      flagged: (await flaggedOrders().list()).map(
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
      const decided = await flaggedOrders().decide(order, decision);
      if (!decided) throw new SoukError('not_found', { message: `There is no flagged payment ${order}` });
      return { orderId: decided.id, status: decided.status };
    },
  };
}
