import type { AdminUser } from '@souk/contract/admin-users.ts';
import type { Query } from '#platform/db/database.ts';
import { freePlan } from './present-profile.ts';
import type { PeoplePlans } from './people-plans.ts';
import { roleOf } from './role.ts';
import { providerIdOf, type StoredProvider } from './user-provider.ts';
import { isUuid } from './user-store.ts';

/** A user as administrators see them, deactivated ones too. */
export type DirectoryUser = {
  id: string;
  email: string;
  displayName: string;
  createdAt: Date;
  isActive: boolean;
  role: AdminUser['role'];
};

type Page = { page: number; limit: number };
type Row = {
  id: string;
  email: string;
  display_name: string;
  provider: StoredProvider;
  is_active: boolean;
  created_at: Date;
  last_login_at: Date | null;
};

/** The users of this installation, for administrators: those of the configured providers, but for deleted ones. */
export type UserDirectory = {
  list(page: Page): Promise<{ users: AdminUser[]; total: number; active: number }>;
  count(): Promise<{ total: number; active: number }>;
  find(userId: string): Promise<DirectoryUser | undefined>;
  /** As `find`; the account cannot be deleted until the transaction of `query` is over. */
  keep(query: Query, userId: string): Promise<DirectoryUser | undefined>;
};

const ofProviders = `from users u join identities i on i.user_id = u.id
  where i.provider = any($1::text[]) and u.deleted_at is null`;

export function createUserDirectory(options: {
  query: Query;
  /** Those that are configured. */
  providers: readonly StoredProvider[];
  adminEmails: readonly string[];
  peoplePlans: () => PeoplePlans;
  /** By user the servers where they signed in with an account of their own, which a feature above knows. */
  signedInServers: ((userIds: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>) | undefined;
}): UserDirectory {
  const { query, providers, adminEmails } = options;

  async function count(): Promise<{ total: number; active: number }> {
    const { rows } = await query<{ total: number; active: number }>(
      `select count(*)::int as total, (count(*) filter (where u.is_active))::int as active ${ofProviders}`,
      [providers],
    );
    return rows[0] ?? { total: 0, active: 0 };
  }

  async function findOne(run: Query, userId: string, lock = ''): Promise<DirectoryUser | undefined> {
    if (!isUuid(userId)) return undefined;
    const { rows } = await run<Row>(
      `select u.id, u.email, u.display_name, u.created_at, u.is_active ${ofProviders} and u.id = $2 ${lock}`,
      [providers, userId],
    );
    const [row] = rows;
    return (
      row && {
        id: row.id,
        email: row.email,
        displayName: row.display_name,
        createdAt: row.created_at,
        isActive: row.is_active,
        role: roleOf(row.email, adminEmails),
      }
    );
  }

  return {
    count,
    find: (userId) => findOne(query, userId),
    // a deletion marks the row first, and so waits
    keep: (tx, userId) => findOne(tx, userId, 'for share of u'),
    async list({ page, limit }) {
      const [counted, { rows }] = await Promise.all([
        count(),
        query<Row>(
          `select u.id, u.email, u.display_name, i.provider, u.is_active, u.created_at, u.last_login_at ${ofProviders}
           order by u.created_at desc, u.id limit $2 offset $3`,
          [providers, limit, (page - 1) * limit],
        ),
      ]);
      const ids = rows.map(({ id }) => id);
      const [servers, plans] = await Promise.all([options.signedInServers?.(ids), options.peoplePlans().plansOf(ids)]);
      const users = rows.map((row) => ({
        ...presentUser(row, servers?.get(row.id) ?? [], adminEmails),
        planId: plans.get(row.id) ?? freePlan.planId,
      }));
      return { users, ...counted };
    },
  };
}

function presentUser(row: Row, servers: readonly string[], adminEmails: readonly string[]): Omit<AdminUser, 'planId'> {
  return {
    id: row.id,
    email: row.email,
    username: null,
    displayName: row.display_name,
    provider: providerIdOf(row.provider),
    oauthConnections: Object.fromEntries(servers.map((id) => [id, { connected: true }])),
    role: roleOf(row.email, adminEmails),
    isActive: row.is_active,
    createdAt: row.created_at.toISOString(),
    lastLoginAt: row.last_login_at?.toISOString() ?? null,
  };
}
