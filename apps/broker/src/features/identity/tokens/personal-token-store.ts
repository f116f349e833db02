import type { McpScope, PersonalToken } from '@souk/contract/identity.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { sha256 } from '../hash.ts';
import type { StoredProvider } from '../users/user-provider.ts';
import { isUuid } from '../users/user-store.ts';

const tokenPrefix = 'souk_pat_';
/** Enough of the random part to tell tokens apart, far too little to guess the rest. */
const shownCharacters = tokenPrefix.length + 4;

export function isPersonalToken(token: string): boolean {
  return token.startsWith(tokenPrefix);
}

export type PersonalTokenRow = {
  id: string;
  name: string;
  prefix: string;
  scopes: McpScope[];
  createdAt: Date;
  expiresAt: Date;
  lastUsedAt: Date | null;
};

type AuthenticatedRow = { id: string; user_id: string; email: string; scopes: McpScope[]; expires_at: Date };
type StatsRow = { total: number; active: number; expired: number; revoked: number; last_used_at: Date | null };

/** Runs in the transaction that stores a new token: if it throws, there is no token. */
export type OnTokenStored = (query: Query, token: { prefix: string }) => Promise<void>;

export type NewPersonalToken = {
  id: string;
  userId: string;
  name: string;
  secret: string;
  scopes: readonly McpScope[];
  createdAt: Date;
  expiresAt: Date;
  /** Maximum number of unrevoked tokens of the owner; unlimited by default. */
  most?: number;
  onStored?: OnTokenStored | undefined;
};

export type PersonalTokenStore = ReturnType<typeof createPersonalTokenStore>;

/** SQL of personal access tokens. Every statement except the look-up by hash names the user. */
export function createPersonalTokenStore(db: Database, providers: readonly StoredProvider[]) {
  return {
    insert: (token: NewPersonalToken) => insertToken(db, token),

    /** Finds a token that is neither revoked nor expired, with its user, who is active and of a configured provider. */
    async findValid(token: string, at: Date): Promise<AuthenticatedRow | undefined> {
      const { rows } = await db.query<AuthenticatedRow>(
        `select t.id, t.user_id, u.email, t.scopes, t.expires_at from personal_tokens t
           join users u on u.id = t.user_id and u.is_active and u.deleted_at is null
           join identities i on i.user_id = u.id and i.provider = any($3::text[])
         where t.token_hash = $1 and t.revoked_at is null and t.expires_at > $2`,
        [sha256(token), at, providers],
      );
      return rows[0];
    },

    async list(userId: string): Promise<PersonalTokenRow[]> {
      const { rows } = await db.query<PersonalTokenRow>(
        `select id, name, prefix, scopes, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt"
         from personal_tokens
         where user_id = $1 and revoked_at is null order by created_at desc, id desc`,
        [userId],
      );
      return rows;
    },

    /** @returns the token's prefix; undefined when this user has no such unrevoked token */
    async revoke(userId: string, id: string, at: Date, query: Query = db.query): Promise<string | undefined> {
      if (!isUuid(id)) return undefined;
      const { rows } = await query<{ prefix: string }>(
        `update personal_tokens set revoked_at = $3 where id = $2 and user_id = $1 and revoked_at is null
         returning prefix`,
        [userId, id, at],
      );
      return rows[0]?.prefix;
    },

    async stats(userId: string, at: Date): Promise<StatsRow> {
      const { rows } = await db.query<StatsRow>(
        `select count(*)::int as total,
           count(*) filter (where revoked_at is null and expires_at > $2)::int as active,
           count(*) filter (where revoked_at is null and expires_at <= $2)::int as expired,
           count(*) filter (where revoked_at is not null)::int as revoked,
           max(last_used_at) as last_used_at
         from personal_tokens where user_id = $1`,
        [userId, at],
      );
      return rows[0] ?? { total: 0, active: 0, expired: 0, revoked: 0, last_used_at: null };
    },

    async recordUse(id: string, at: Date): Promise<void> {
      await db.query(
        `update personal_tokens set last_used_at = greatest(coalesce(last_used_at, $2), $2) where id = $1`,
        [id, at],
      );
    },
  };
}

/**
 * Stores a new token. The owner's row is locked: none is created once the deletion of their account has begun, and
 * concurrent ones are counted correctly.
 * @returns the row, and `token`, the bearer value, which is not stored; 'gone' when the owner no longer exists; 'full'
 *   at the maximum number
 */
async function insertToken(
  db: Database,
  { id, userId, name, secret, scopes, createdAt, expiresAt, most, onStored }: NewPersonalToken,
): Promise<{ token: string; row: PersonalTokenRow } | 'gone' | 'full'> {
  const token = tokenPrefix + secret;
  const prefix = token.slice(0, shownCharacters);
  const refused = await db.transaction(async (query) => {
    const { rows: owners } = await query('select from users where id = $1 and deleted_at is null for no key update', [
      userId,
    ]);
    if (owners.length === 0) return 'gone' as const;
    const { rows } = await query(
      `insert into personal_tokens (id, user_id, name, token_hash, prefix, scopes, created_at, expires_at)
       select $1::uuid, $2::uuid, $3::text, $4::text, $5::text, $6::text[], $7::timestamptz, $8::timestamptz
         where $9::int is null
           or (select count(*) from personal_tokens where user_id = $2::uuid and revoked_at is null) < $9
       returning id`,
      [id, userId, name, sha256(token), prefix, scopes, createdAt, expiresAt, most ?? null],
    );
    if (rows.length === 0) return 'full' as const;
    await onStored?.(query, { prefix });
    return undefined;
  });
  if (refused) return refused;
  const row = { id, name, prefix, scopes: [...scopes], createdAt, expiresAt, lastUsedAt: null };
  return { token, row };
}

export function presentPersonalToken(row: PersonalTokenRow, nowMs: number): PersonalToken {
  return {
    ...row,
    status: row.expiresAt.getTime() > nowMs ? 'active' : 'expired',
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  };
}
