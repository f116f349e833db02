import type { AuditAction } from '@souk/contract/admin/audit-actions.ts';
import { createPersonalTokenBodySchema, type PersonalToken } from '@souk/contract/identity.ts';
import { issueText } from '@souk/contract/manifest/issue-text.ts';
import type { z } from 'zod';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { standInEmailSchema, standInName } from '../stand-in/stand-in-accounts.ts';
import { providerIdOf } from '../users/user-provider.ts';
import type { User, UserStore } from '../users/user-store.ts';
import type { PersonalTokens } from './personal-tokens.ts';

/** The token's owner: a user id, or an e-mail address with a provider (optional with the stand-in). */
type TokenOwner = { userId: string } | { email: string; provider?: string | undefined };
export type OperatorTokenRequest = TokenOwner & z.input<typeof createPersonalTokenBodySchema>;

/**
 * Creates a personal access token for the operator's command. With the stand-in, an unknown user is created; otherwise
 * they must have signed in with the named provider before.
 * @param by for the audit rows of what is created, in the same transaction; without it none are written
 * @throws SoukError invalid_request, not_found
 */
export async function createOperatorToken(
  parts: { users: UserStore; tokens: PersonalTokens; clock: Clock },
  request: OperatorTokenRequest,
  by?: { operator: string },
): Promise<PersonalToken & { token: string }> {
  const wish = createPersonalTokenBodySchema.safeParse(request);
  if (!wish.success) {
    const issues = wish.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issueText(issue) }));
    const [first] = issues;
    throw new SoukError('invalid_request', { message: first ? `${first.path}: ${first.message}` : 'invalid', issues });
  }
  const audit = by && auditOf(by, parts.clock);
  const user = await findOwner(parts, request, audit);
  return parts.tokens.create(
    user.id,
    wish.data,
    audit &&
      (async (query, { prefix }) => {
        const name = await nameForAudit(query, user.id, wish.data.name);
        await audit(query, 'user.token-created', user.id, { name, prefix });
      }),
  );
}

type Audit = (query: Query, action: AuditAction, userId: string, details?: Record<string, unknown>) => Promise<void>;

function auditOf({ operator }: { operator: string }, clock: Clock): Audit {
  return (query, action, userId, details) => {
    const entry = { actorId: undefined, action, subject: userId, details: { ...details, via: 'command', operator } };
    return writeAuditWith(query, entry, new Date(clock.now()));
  };
}

/** Removes the owner's address from a token's name: the audit row outlives the account and never changes. */
async function nameForAudit(query: Query, userId: string, name: string): Promise<string> {
  const { rows } = await query<{ name: string }>(
    'select without_address($2::text, email) as name from users where id = $1',
    [userId, name],
  );
  return rows[0]?.name ?? '';
}

async function findOwner(
  { users, clock }: { users: UserStore; clock: Clock },
  owner: TokenOwner,
  audit: Audit | undefined,
): Promise<User> {
  if ('userId' in owner) return found(await users.find(owner.userId), `There is no active user ${owner.userId}.`);
  if (!users.maySignIn(owner.email)) {
    throw new SoukError('invalid_request', { message: `SIGN_IN_ALLOW does not let ${owner.email} in.` });
  }
  const isStandIn = users.providers.includes('dev');
  return isStandIn ? findStandInUser(users, owner, clock.now(), audit) : findSignedIn(users, owner);
}

type OwnerByEmail = Extract<TokenOwner, { email: string }>;

async function findStandInUser(
  users: UserStore,
  owner: OwnerByEmail,
  nowMs: number,
  audit: Audit | undefined,
): Promise<User> {
  if (owner.provider !== undefined && owner.provider !== 'dev') {
    const message = `The provider ${owner.provider} is not configured: only dev is.`;
    throw new SoukError('invalid_request', { message });
  }
  const email = standInEmailSchema.safeParse(owner.email);
  if (!email.success) throw new SoukError('invalid_request', { message: 'email: must be an e-mail address' });
  const known = await users.findByEmail(email.data, 'dev');
  if (known) return known;
  const profile = { subject: email.data, email: email.data, displayName: standInName(email.data), photoUrl: undefined };
  const user = await users.signIn('dev', profile, nowMs, audit && ((query, id) => audit(query, 'user.created', id)));
  return found(user, `The user ${email.data} has been deactivated.`);
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
