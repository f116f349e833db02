import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Billing } from '#features/billing/index.ts';
import { providerIds, type Identity } from '#features/identity/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import type { CreditsSet } from './credit-results.ts';

const setSchema = z.object({
  email: z.string(),
  credits: z.int().min(0),
  provider: z.enum(providerIds).optional(),
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
      const { email, credits, provider, reason = 'by command', operator } = setSchema.parse(args);
      const [userId, ...others] = await identity.users.findIds(email, provider);
      if (userId === undefined) throw new SoukError('not_found', { message: `No user has the address ${email}.` });
      if (others.length > 0) {
        throw new SoukError('invalid_request', {
          message: `Several users have the address ${email}: name a --provider.`,
        });
      }
      const idem = `adjustment:${randomUUID()}`;
      const change = await billing.ledger.setBalance({ userId, credits, idem, reason }, { operator });
      return { credits, change };
    },
  };
}
