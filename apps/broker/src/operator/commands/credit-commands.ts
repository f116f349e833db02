import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Billing } from '#features/billing/index.ts';
import type { Identity } from '#features/identity/index.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import { accountSchema, chooseAccount } from './choose-account.ts';
import type { CreditsSet } from './credit-results.ts';

const setSchema = accountSchema.extend({
  credits: z.int().min(0),
  reason: z.string().optional(),
  /** The operator's name on the machine. */
  operator: z.string().max(200),
});

/** `credits set` of the operator's command line: ledger and audit log record by how much the balance changed, and why. */
export function creditCommands({
  identity,
  billing,
}: {
  identity: Pick<Identity, 'users'>;
  billing: Pick<Billing, 'ledger'>;
}): OperatorCommands {
  return {
    'credits.set': async (args): Promise<CreditsSet> => {
      const { credits, reason = 'by command', operator, ...who } = setSchema.parse(args);
      const userId = await chooseAccount(identity.users, who);
      const idem = `adjustment:${randomUUID()}`;
      const change = await billing.ledger.setBalance({ userId, credits, idem, reason }, { operator });
      return { credits, change };
    },
  };
}
