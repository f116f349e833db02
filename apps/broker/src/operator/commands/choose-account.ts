import { z } from 'zod';
import { providerIds, type FoundAccount, type Identity } from '#features/identity/index.ts';
import { SoukError } from '#platform/errors.ts';

/** The fields by which a command names an account. `id` is needed if a provider has two accounts with the address. */
export const accountSchema = z.object({
  email: z.string(),
  provider: z.enum(providerIds).optional(),
  id: z.string().optional(),
});

/**
 * Returns the id of the account that a command names.
 * @throws SoukError not_found; invalid_request if several have the address, with a text that lists them
 */
export async function chooseAccount(
  users: Pick<Identity['users'], 'find'>,
  { email, provider, id }: z.output<typeof accountSchema>,
): Promise<string> {
  const accounts = await users.find(email, provider);
  const meant = id === undefined ? accounts : accounts.filter((account) => account.id === id.toLowerCase());
  const [account, ...others] = meant;
  if (!account) {
    const text = id === undefined ? `No user has the address ${email}.` : `No user with the id ${id} has that address.`;
    throw new SoukError('not_found', { message: text });
  }
  if (others.length === 0) return account.id;
  const providersDiffer = new Set(accounts.map((one) => one.provider)).size === accounts.length;
  const message = `${accounts.length} users have the address ${email}. Choose one with ${providersDiffer ? '--provider or ' : ''}--id:`;
  throw new SoukError('invalid_request', { message: [message, ...accounts.map(describe)].join('\n') });
}

function describe({ id, provider, isActive, createdAt, lastLoginAt }: FoundAccount): string {
  const day = (date: Date) => date.toISOString().slice(0, 10);
  const last = lastLoginAt ? `, last signed in ${day(lastLoginAt)}` : '';
  return `  ${id}  ${provider}, since ${day(createdAt)}${last}${isActive ? '' : ', deactivated'}`;
}
