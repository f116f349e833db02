import { secretValueSchemas, type ServerSecretList } from '@souk/contract/admin/secrets.ts';
import { issueText } from '@souk/contract/manifest/issue-text.ts';
import { z } from 'zod';
import type { SecretAdministration } from '#features/upstreams/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import { operatorName } from './command-reason.ts';

const serverSchema = z.object({ id: z.string().max(63) });
const namedSchema = serverSchema.extend({
  name: z.string().max(128),
  /** The version whose address the secret is sent to; by default the only place that needs it. */
  version: z.string().max(40).optional(),
  operator: operatorName,
});
const bindSchema = namedSchema.omit({ name: true });
const setSchema = namedSchema.extend({ value: z.string() });

type Needed = ServerSecretList['needed'][number];

/** `souk secret …`, with the use cases of the administrators' screen. */
export function secretCommands(secrets: SecretAdministration): OperatorCommands {
  return {
    'secret.list': async (args): Promise<Omit<ServerSecretList, 'success'>> =>
      secrets.list(serverSchema.parse(args).id),
    'secret.set': async (args): Promise<{ name: string; place: string }> => {
      const { id, name, version, value, operator } = setSchema.parse(args);
      const { needed } = await secrets.list(id);
      const one = oneOf(needed, { id, name, version });
      const checked = secretValueSchemas[one.kind].safeParse(value);
      if (!checked.success) {
        const reasons = checked.error.issues.map(issueText).join('; ');
        throw new SoukError('invalid_request', { message: `The value of ${one.name} ${reasons}.` });
      }
      await secrets.set(id, one, value, { operator });
      return { name: one.name, place: one.place };
    },
    'secret.bind': async (args): Promise<{ place: string; before: string | null }> => {
      const { id, version, operator } = bindSchema.parse(args);
      return secrets.bindEnvironment(id, version, { operator });
    },
    'secret.remove': async (args): Promise<{ name: string; place: string }[]> => {
      const { id, name, operator } = namedSchema.parse(args);
      const { needed, unused } = await secrets.list(id);
      const entered = [...needed.filter((one) => one.entered !== null), ...unused].filter((one) => isNamed(one, name));
      if (entered.length === 0) throw new SoukError('not_found', { message: `${id} has no secret ${name}.` });
      for (const one of entered) await secrets.remove(id, one, { operator });
      return entered.map((one) => ({ name: one.name, place: one.place }));
    },
  };
}

/** Ignores case, because headers do, and no two variables differ only in case. */
const isNamed = (one: { name: string }, name: string) => one.name.toLowerCase() === name.toLowerCase();

function oneOf(needed: readonly Needed[], asked: { id: string; name: string; version: string | undefined }): Needed {
  const { id, name, version } = asked;
  const found = needed
    .filter((one) => isNamed(one, name))
    .filter(({ versions }) => version === undefined || versions.includes(version));
  const [one] = found;
  if (one && found.length === 1) return one;
  if (found.length > 1) {
    const places = found.map(({ versions, place }) => `${place} (version ${versions.join(', ')})`).join(', ');
    throw new SoukError('invalid_request', { message: `${name} is for ${places}: name one with --version.` });
  }
  const names = [...new Set(needed.map((each) => each.name))].join(', ') || 'no secret';
  throw new SoukError('invalid_request', { message: `${id} does not ask for ${name}. It asks for: ${names}.` });
}
