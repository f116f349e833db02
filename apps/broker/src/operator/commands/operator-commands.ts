import { createPersonalTokenBodySchema } from '@souk/contract/identity.ts';
import { z } from 'zod';
import type { Catalogue, ManifestPolicy, ManifestRuns, PeopleOfServers } from '#features/catalogue/index.ts';
import { providerIds, type Identity } from '#features/identity/index.ts';
import type { Imports, Upstreams } from '#features/upstreams/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import { importCommands } from './import-commands.ts';
import { chooseAccount } from './choose-account.ts';
import { manifestCommands } from './manifests/manifest-commands.ts';
import type { PersonalToolsDiff } from './manifests/manifest-results.ts';
import { runCommands } from './manifests/run-commands.ts';
import { userCommands } from './user-commands.ts';
import { operatorName, reasonOfCommand } from './command-reason.ts';

const tokenCreateSchema = createPersonalTokenBodySchema.extend({
  email: z.string(),
  provider: z.string().optional(),
  operator: operatorName,
});

const personalToolsSchema = z.object({
  id: z.string(),
  from: z.string(),
  provider: z.enum(providerIds).optional(),
});
const approvePersonalToolsSchema = personalToolsSchema.extend({ reason: reasonOfCommand, shown: z.string() });

/**
 * Commands on users, tokens, manifests and registries, by name.
 * @param parts.upstreams undefined if no broker runs
 */
export function operatorCommands({
  identity,
  catalogue,
  policy,
  people,
  manifestRuns,
  imports,
  upstreams,
  missingSecretsOf = upstreams?.secrets.missingOf,
}: {
  identity: Pick<Identity, 'createPersonalToken' | 'users' | 'directory'>;
  catalogue: Catalogue;
  policy: ManifestPolicy;
  people: PeopleOfServers;
  manifestRuns: ManifestRuns;
  imports: Imports;
  upstreams?: Pick<Upstreams, 'watch' | 'approvePersonalTools' | 'comparePersonalTools' | 'secrets'>;
  /** Needed if no broker runs. */
  missingSecretsOf?: Upstreams['secrets']['missingOf'] | undefined;
}): OperatorCommands {
  return {
    ...userCommands(identity, { isRunning: upstreams !== undefined }),
    ...manifestCommands({ catalogue, policy, people, missingSecretsOf, ...(upstreams && { watch: upstreams.watch }) }),
    ...runCommands(manifestRuns, { isRunning: upstreams !== undefined }),
    ...importCommands(imports),
    'manifest.approve-personal-tools': approvePersonalTools,
    'manifest.diff-personal-tools': comparePersonalTools,
    'token.create': async (args) => {
      const { operator, ...fields } = tokenCreateSchema.parse(args);
      const { token } = await identity.createPersonalToken(fields, { operator });
      return { token };
    },
  };

  /** Makes the shop show the personal tools that the server has for the named user's account there. */
  async function approvePersonalTools(args: unknown): Promise<{ id: string; tools: string[] }> {
    const { id, reason, shown, ...who } = approvePersonalToolsSchema.parse(args);
    const { of, approvals } = await accountOf(who);
    return { id, tools: await approvals.approvePersonalTools(id, of, { by: undefined, reason, shown }) };
  }

  async function comparePersonalTools(args: unknown): Promise<PersonalToolsDiff> {
    const { id, ...who } = personalToolsSchema.parse(args);
    const { of, approvals } = await accountOf(who);
    return { id, from: of.name, ...(await approvals.comparePersonalTools(id, of)) };
  }

  async function accountOf({ from, provider }: Pick<z.output<typeof personalToolsSchema>, 'from' | 'provider'>) {
    if (!upstreams) throw new SoukError('unavailable', { message: 'Souk does not run here: start it first.' });
    const userId = await chooseAccount(identity.users, { email: from, provider });
    return { of: { userId, name: from }, approvals: upstreams };
  }
}
