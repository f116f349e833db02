import { createPersonalTokenBodySchema } from '@souk/contract/identity.ts';
import { z } from 'zod';
import type { Identity } from '#features/identity/index.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';

const tokenCreateSchema = createPersonalTokenBodySchema.extend({ email: z.string(), provider: z.string().optional() });

/** What the operator's command may ask of the product: name -> work on the arguments. */
export function operatorCommands({ identity }: { identity: Pick<Identity, 'createPersonalToken'> }): OperatorCommands {
  return {
    'token.create': async (args) => {
      const { token } = await identity.createPersonalToken(tokenCreateSchema.parse(args));
      return { token };
    },
  };
}
