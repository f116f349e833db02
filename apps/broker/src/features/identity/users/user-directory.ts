import type { AdminUser } from '@souk/contract/admin/users.ts';
import type { Query } from '#platform/db/database.ts';
import { countUsers, type UserCounts } from './count-users.ts';
import { findUsers, type WantedUsers } from './find-users.ts';
import type { PeoplePlans } from './people-plans.ts';
import { freePlan } from './present-profile.ts';
import { roleOf } from './role.ts';
import { providerIdOf, type StoredProvider } from './user-provider.ts';
import { isUuid } from './user-store.ts';

/** A user as administrators see them, even if deactivated. */
export type DirectoryUser = {
  id: string;
  email: string;
  displayName: string;
  createdAt: Date;
  isActive: boolean;
  role: 'user' | 'admin';
};

type Row = Omit<DirectoryUser, 'role'> & { provider: StoredProvider; lastLoginAt: Date | null };

const columns = `id, email, display_name as "displayName", created_at as "createdAt", is_active as "isActive"`;

export type UserDirectory = ReturnType<typeof createUserDirectory>;

/** Users of the configured providers, for administrators; deleted ones are missing. */
export function createUserDirectory(parts: {
  query: Query;
  providers: readonly StoredProvider[];
  adminEmails: readonly string[];
  peoplePlans: () => PeoplePlans;
  /** Servers where users signed in with their own accounts, by user, from a feature above. */
  signedInServers: ((userIds: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>) | undefined;
}) {
  const { query, providers, adminEmails } = parts;
  const count = () => countUsers(query, providers);

  async function findOne(run: Query, userId: string, lock = ''): Promise<DirectoryUser | undefined> {
    if (!isUuid(userId)) return undefined;
    const { rows } = await run<Omit<DirectoryUser, 'role'>>(
      `select ${columns} from users
       where id = $2 and provider = any($1::text[]) and deleted_at is null ${lock}`,
      [providers, userId],
    );
    return rows[0] && { ...rows[0], role: roleOf(rows[0].email, adminEmails) };
  }

  async function read(ids: readonly string[]): Promise<AdminUser[]> {
    if (ids.length === 0) return [];
    const [{ rows }, servers, plans] = await Promise.all([
      query<Row>(
        `select ${columns}, provider, last_login_at as "lastLoginAt" from users
         where id = any($1::uuid[]) and deleted_at is null order by created_at desc, id`,
        [ids],
      ),
      parts.signedInServers?.(ids),
      parts.peoplePlans().plansOf(ids),
    ]);
    return rows.map((row) => ({
      id: row.id,
      email: row.email,
      username: null,
      displayName: row.displayName,
      provider: providerIdOf(row.provider),
      oauthConnections: Object.fromEntries((servers?.get(row.id) ?? []).map((id) => [id, { connected: true }])),
      role: roleOf(row.email, adminEmails),
      isActive: row.isActive,
      createdAt: row.createdAt.toISOString(),
      lastLoginAt: row.lastLoginAt?.toISOString() ?? null,
      planId: plans.get(row.id) ?? freePlan.planId,
    }));
  }

  return {
    count,
    find: (userId: string) => findOne(query, userId),
    /** The user's row of the list. */
    show: async (userId: string): Promise<AdminUser | undefined> => (await read([userId]))[0],
    /** Like `find`, and prevents the account's deletion until the transaction ends: a deletion updates the row first. */
    keep: (tx: Query, userId: string) => findOne(tx, userId, 'for share'),
    /** A page of the wanted users, newest first. `total` counts them; `counts` counts all users. */
    async list(wanted: WantedUsers): Promise<{ users: AdminUser[]; total: number; counts: UserCounts }> {
      const counts = await count();
      const found = await findUsers({ query, providers, adminEmails, plans: parts.peoplePlans() }, wanted, counts);
      return { users: await read(found.ids), total: found.total, counts };
    },
  };
}
