import { createPersonalTokenBodySchema, type PersonalToken } from '@souk/contract/identity.ts';
import type { z } from 'zod';
import type { Clock } from '#platform/clock.ts';
import { SoukError } from '#platform/errors.ts';
import { standInEmailSchema, standInName } from '../stand-in/stand-in.ts';
import { providerIdOf } from '../users/user-provider.ts';
import type { User, UserStore } from '../users/user-store.ts';
import type { PersonalTokens } from './personal-tokens.ts';

/** Whose token: a user by id, or by e-mail address and (where the stand-in is not active) provider. */
type TokenOwner = { userId: string } | { email: string; provider?: string | undefined };
export type OperatorTokenRequest = TokenOwner & z.input<typeof createPersonalTokenBodySchema>;

/**
 * A personal access token for the operator's command, on the machine itself. Where the stand-in is active the user is
 * created if need be; else they must have signed in with the named provider before.
 * @throws SoukError invalid_request, not_found
 */
export async function createOperatorToken(
  options: { users: UserStore; tokens: PersonalTokens; clock: Clock },
  request: OperatorTokenRequest,
): Promise<PersonalToken & { token: string }> {
  const wish = createPersonalTokenBodySchema.safeParse(request);
  if (!wish.success) {
    const issues = wish.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
    const [first] = issues;
    throw new SoukError('invalid_request', { message: first ? `${first.path}: ${first.message}` : 'invalid', issues });
  }
  const user = await findOwner(options, request);
  return options.tokens.create(user.id, wish.data);
}

async function findOwner({ users, clock }: { users: UserStore; clock: Clock }, owner: TokenOwner): Promise<User> {
  if ('userId' in owner) return found(await users.find(owner.userId), `There is no active user ${owner.userId}.`);
  if (!users.maySignIn(owner.email)) {
    throw new SoukError('invalid_request', { message: `SIGN_IN_ALLOW does not let ${owner.email} in.` });
  }
  return users.providers.includes('dev') ? findStandInUser(users, owner, clock.now()) : findSignedIn(users, owner);
}

type OwnerByEmail = Extract<TokenOwner, { email: string }>;

async function findStandInUser(users: UserStore, owner: OwnerByEmail, nowMs: number): Promise<User> {
  if (owner.provider !== undefined && owner.provider !== 'dev') {
    const message = `The provider ${owner.provider} is not configured: only dev is.`;
    throw new SoukError('invalid_request', { message });
  }
  const email = standInEmailSchema.safeParse(owner.email);
  if (!email.success) throw new SoukError('invalid_request', { message: 'email: must be an e-mail address' });
  const known = await users.findByEmail(email.data, 'dev');
  if (known) return known;
  const profile = { subject: email.data, email: email.data, displayName: standInName(email.data), photoUrl: undefined };
  return found(await users.signIn('dev', profile, nowMs), `The user ${email.data} has been deactivated.`);
}

async function findSignedIn(users: UserStore, owner: OwnerByEmail): Promise<User> {
  const provider = users.providers.find((one) => providerIdOf(one) === owner.provider);
  if (provider === undefined) {
    const names = users.providers.map(providerIdOf).join(' or ');
    throw new SoukError('invalid_request', { message: `provider: name the provider of the user (${names})` });
  }
  return found(
    await users.findByEmail(owner.email, provider),
    `No active ${owner.provider} user has the address ${owner.email}: they must sign in once before.`,
  );
}

function found(user: User | undefined, message: string): User {
  if (!user) throw new SoukError('not_found', { message });
  return user;
}
