import { createPersonalTokenBodySchema } from '@souk/contract/identity.ts';
import { z } from 'zod';
import type { Catalogue, ManifestPolicy } from '#features/catalogue/index.ts';
import { providerIds, type Identity } from '#features/identity/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import { manifestCommands } from './manifest-commands.ts';

const tokenCreateSchema = createPersonalTokenBodySchema.extend({ email: z.string(), provider: z.string().optional() });

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
  upstreams?: Pick<Upstreams, 'watch'>;
}): OperatorCommands {
  return {
    ...manifestCommands({ catalogue, policy, ...(upstreams && { watch: upstreams.watch }) }),
    'user.deactivate': (args) => setActive(args, identity.users.deactivate),
    'user.activate': (args) => setActive(args, identity.users.activate),
    'token.create': async (args) => {
      const { token } = await identity.createPersonalToken(tokenCreateSchema.parse(args));
      return { token };
    },
  };

  /** Applies to every account with this address: a user may have signed in with two providers. */
  async function setActive(args: unknown, set: (userId: string) => Promise<boolean>): Promise<{ users: number }> {
    const { email, provider } = userSchema.parse(args);
    const userIds = await identity.users.findIds(email, provider);
    if (userIds.length === 0) throw new SoukError('not_found', { message: `No user has the address ${email}.` });
    for (const userId of userIds) await set(userId);
    return { users: userIds.length };
  }
}
