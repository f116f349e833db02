import { z } from 'zod';
import type { Billing } from '#features/billing/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';

/** What `reconcile` has found and done. */
export const reconciledSchema = z.object({
  orders: z.object({
    checked: z.int(),
    fulfilled: z.int(),
    expired: z.int(),
    flagged: z.int(),
    refunded: z.int(),
    unanswered: z.int(),
  }),
  /** Payments that the provider has and that nothing had come of here. */
  missedPayments: z.int(),
  /** Disputes at the provider that were not known here as they are there. */
  missedDisputes: z.int(),
  /** Subscriptions that had changed at the payment provider without an event. */
  driftedSubscriptions: z.int(),
});

/** `reconcile` of the operator's command line: compares what we know of payments with the payment provider, and repairs it. */
export function reconcileCommand({ billing }: { billing: Pick<Billing, 'payments'> }): OperatorCommands {
  return {
    async reconcile(): Promise<z.output<typeof reconciledSchema>> {
      const { payments } = billing;
      if (!payments) throw new SoukError('payments_off');
      const orders = await payments.reconcileOrders();
      const driftedSubscriptions = await payments.subscriptions.reconcile();
      const missedPayments = await payments.findMissed();
      const missedDisputes = await payments.takeBack.findMissedDisputes();
      return { orders, driftedSubscriptions, missedPayments, missedDisputes };
    },
  };
}
