import { rentalPeriodSchema } from '@souk/contract/admin/billing.ts';
import { cursorSchema } from '@souk/contract/times.ts';
import { z } from 'zod';
import type { Administration } from '#features/billing/index.ts';
import type { Identity } from '#features/identity/index.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import type {
  CreditsSet,
  CreditsShown,
  Given,
  PaymentRefunded,
  PaymentsShown,
  Removed,
  UserShown,
} from './billing-results.ts';
import { accountSchema, chooseAccount } from './choose-account.ts';
import { operatorName, reasonOfCommand } from './command-reason.ts';

const decisionSchema = accountSchema.extend({ reason: reasonOfCommand, operator: operatorName });
const setSchema = decisionSchema.extend({ credits: z.int().min(0).max(1_000_000_000) });
const giveSchema = decisionSchema.extend({
  type: z.enum(['subscription', 'rental', 'purchase']),
  of: z.string().max(100),
  period: rentalPeriodSchema.optional(),
});
const paymentsSchema = accountSchema.extend({
  cursor: cursorSchema.optional(),
  /** Limits the list to one payment and its refunds. */
  payment: z.string().max(100).optional(),
});
const refundSchema = decisionSchema.extend({ payment: z.uuid(), amountCents: z.int().min(1) });
const removeSchema = decisionSchema.extend({
  subscription: z.string().max(100),
  refund: z.enum(['none', 'prorata']).default('none'),
});

/**
 * `souk user show`, `give` and `remove`, `souk credits …`, and the payments of a user, with the use cases of the
 * administrators' screen. No recent sign-in is required, because the operator already controls the machine.
 */
export function billingCommands({
  identity,
  administration,
}: {
  identity: Pick<Identity, 'users'>;
  administration: Administration;
}): OperatorCommands {
  async function show(args: unknown): Promise<UserShown> {
    const { user, billing } = await administration.show(await chooseAccount(identity.users, accountSchema.parse(args)));
    return { user: { ...user, createdAt: user.createdAt.toISOString() }, billing };
  }

  return {
    'user.show': show,
    'user.give': async (args): Promise<Given> => {
      const { type, of: mcpId, period, operator, reason, ...who } = giveSchema.parse(args);
      const userId = await chooseAccount(identity.users, who);
      const { id, endsAt } = await administration.give(userId, { type, mcpId, period }, { operator, reason });
      return { id, endsAt: endsAt?.toISOString() ?? null };
    },
    'user.remove': async (args): Promise<Removed> => {
      const { subscription, refund, operator, reason, ...who } = removeSchema.parse(args);
      const userId = await chooseAccount(identity.users, who);
      return administration.remove(userId, subscription, { operator, reason, refund });
    },
    'payments.list': async (args): Promise<PaymentsShown> => {
      const { cursor, payment, ...who } = paymentsSchema.parse(args);
      return administration.paymentsOf(await chooseAccount(identity.users, who), { limit: 50, cursor, payment });
    },
    'payments.refund': async (args): Promise<PaymentRefunded> => {
      const { payment: paymentId, amountCents, operator, reason, ...who } = refundSchema.parse(args);
      const of = { userId: await chooseAccount(identity.users, who), paymentId };
      return administration.refund(of, { amountCents, refundedCents: undefined }, { operator, reason });
    },
    'credits.show': async (args): Promise<CreditsShown> => (await show(args)).billing.credits,
    'credits.set': async (args): Promise<CreditsSet> => {
      const { credits, operator, reason, ...who } = setSchema.parse(args);
      const userId = await chooseAccount(identity.users, who);
      return { credits, change: await administration.setCredits(userId, { credits }, { operator, reason }) };
    },
  };
}
