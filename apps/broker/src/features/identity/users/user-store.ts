import { foldEmail } from '@souk/contract/fold-email.ts';
import type { Database, Query } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import { providerIdOf, type ProviderId, type StoredProvider } from './user-provider.ts';

export type User = {
  id: string;
  email: string;
  displayName: string;
  photoUrl: string | null;
  provider: ProviderId;
  createdAt: Date;
};

type UserRow = Omit<User, 'provider'> & { provider: StoredProvider };

const columns = `u.id, u.email, u.display_name as "displayName", u.photo_url as "photoUrl", u.created_at as "createdAt",
  i.provider`;

/** Adds what a new account begins with, in the transaction that creates it, from a feature above. */
export type WelcomeNewcomer = (query: Query, newcomer: { userId: string; email: string }) => Promise<void>;

/** Users of the configured providers who may sign in; all others do not exist here (clarifications, Sign-in). */
export type UserStore = ReturnType<typeof createUserStore>;

export function createUserStore(parts: {
  db: Database;
  ids: Ids;
  providers: readonly StoredProvider[];
  /** Whether the user with this verified address may sign in. */
  maySignIn(email: string): boolean;
  welcomeNewcomer?: WelcomeNewcomer | undefined;
}) {
  const { db, ids, providers } = parts;
  return {
    providers,
    maySignIn: parts.maySignIn,

    /** Finds an active user of a configured provider who is allowed to sign in. */
    async find(id: string): Promise<User | undefined> {
      if (!isUuid(id)) return undefined;
      const { rows } = await db.query<UserRow>(
        `select ${columns} from users u join identities i on i.user_id = u.id
         where u.id = $1 and i.provider = any($2::text[]) and u.is_active and u.deleted_at is null`,
        [id, providers],
      );
      const [row] = rows;
      return row && parts.maySignIn(row.email) ? presentUser(row) : undefined;
    },

    /** Finds the active user who last signed in with this address at the provider, for the operator's command. */
    async findByEmail(email: string, provider: StoredProvider): Promise<User | undefined> {
      const { rows } = await db.query<UserRow>(
        `select ${columns} from users u join identities i on i.user_id = u.id
         where u.email = $1 and i.provider = $2 and u.is_active and u.deleted_at is null
         order by u.last_login_at desc nulls last limit 1`,
        [foldEmail(email), provider],
      );
      return rows[0] && presentUser(rows[0]);
    },

    /**
     * Creates the user of (provider, subject) or updates their profile.
     * @param onCreated writes in the transaction that creates a new user
     * @returns undefined when the user is deactivated or deleted
     */
    async signIn(
      provider: StoredProvider,
      profile: { subject: string; email: string; displayName: string; photoUrl: string | undefined },
      atMs: number,
      onCreated?: (query: Query, userId: string) => Promise<void>,
    ): Promise<User | undefined> {
      const at = new Date(atMs);
      const userId = await db.transaction(async (query) => {
        // of two concurrent first sign-ins, the second waits here and then finds the identity of the first
        await query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
          `identity:${provider}:${profile.subject}`,
        ]);
        const known = await query<{ user_id: string }>(
          `select user_id from identities where provider = $1 and subject = $2`,
          [provider, profile.subject],
        );
        const values = [profile.email, profile.displayName, profile.photoUrl ?? null, at];
        const knownId = known.rows[0]?.user_id;
        if (knownId !== undefined) {
          await query(
            `update users set email = $1, display_name = $2, photo_url = $3, last_login_at = $4
             where id = $5 and is_active and deleted_at is null`,
            [...values, knownId],
          );
          return knownId;
        }
        const id = ids.uuid();
        await query(
          `insert into users (email, display_name, photo_url, created_at, last_login_at, id) values ($1, $2, $3, $4, $4, $5)`,
          [...values, id],
        );
        await query(`insert into identities (provider, subject, user_id, created_at) values ($1, $2, $3, $4)`, [
          provider,
          profile.subject,
          id,
          at,
        ]);
        await onCreated?.(query, id);
        await parts.welcomeNewcomer?.(query, { userId: id, email: profile.email });
        return id;
      });
      return this.find(userId);
    },
  };
}

function presentUser(row: UserRow): User {
  return { ...row, provider: providerIdOf(row.provider) };
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
