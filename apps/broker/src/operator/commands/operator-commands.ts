import { createPersonalTokenBodySchema } from '@souk/contract/identity.ts';
import { z } from 'zod';
import type { Catalogue, ManifestPolicy } from '#features/catalogue/index.ts';
import { providerIds, type Identity } from '#features/identity/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import { manifestCommands } from './manifest-commands.ts';

const tokenCreateSchema = createPersonalTokenBodySchema.extend({ email: z.string(), provider: z.string().optional() });

const offerSchema = z.object({
  id: z.string(),
  from: z.string(),
  provider: z.enum(providerIds).optional(),
  reason: z.string().optional(),
});

const userSchema = z.object({ email: z.string(), provider: z.enum(providerIds).optional() });

/**
 * The commands of the operator's command line, by name.
 * @param parts.upstreams of a running broker
 */
export function operatorCommands({
  identity,
  catalogue,
  policy,
  upstreams,
}: {
  identity: Pick<Identity, 'createPersonalToken' | 'users'>;
  catalogue: Catalogue;
  policy: ManifestPolicy;
  upstreams?: Pick<Upstreams, 'watch' | 'approveOffer'>;
}): OperatorCommands {
  return {
    ...manifestCommands({ catalogue, policy, ...(upstreams && { watch: upstreams.watch }) }),
    'manifest.approve-offer': approveOffer,
    'user.deactivate': (args) => setActive(args, identity.users.deactivate),
    'user.activate': (args) => setActive(args, identity.users.activate),
    'token.create': async (args) => {
      const { token } = await identity.createPersonalToken(tokenCreateSchema.parse(args));
      return { token };
    },
  };

  /** The shop shows what the server offers to the account of the named user there. */
  async function approveOffer(args: unknown): Promise<{ id: string; tools: string[] }> {
    const { id, from, provider, reason = 'by command' } = offerSchema.parse(args);
    if (!upstreams) throw new SoukError('unavailable', { message: 'Souk does not run here: start it first.' });
    const [userId, ...others] = await identity.users.findIds(from, provider);
    if (userId === undefined) throw new SoukError('not_found', { message: `No user has the address ${from}.` });
    if (others.length > 0) {
      throw new SoukError('invalid_request', { message: `Several users have the address ${from}: name a --provider.` });
    }
    return { id, tools: await upstreams.approveOffer(id, { userId, name: from }, { by: undefined, reason }) };
  }

  /** Applies to every account with this address: a user may have signed in with two providers. */
  async function setActive(args: unknown, set: (userId: string) => Promise<boolean>): Promise<{ users: number }> {
    const { email, provider } = userSchema.parse(args);
    const userIds = await identity.users.findIds(email, provider);
    if (userIds.length === 0) throw new SoukError('not_found', { message: `No user has the address ${email}.` });
    for (const userId of userIds) await set(userId);
    return { users: userIds.length };
  }
}
