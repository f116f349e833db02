import type { Database } from '#platform/db/database.ts';
import { endAccess } from '../account/end-access.ts';
import type { ProviderId, StoredProvider } from './user-provider.ts';

export type UserActivation = ReturnType<typeof createUserActivation>;

/** Shuts people out, and lets them in again. */
export function createUserActivation(options: {
  db: Database;
  /** Those that are configured. */
  providers: readonly StoredProvider[];
  /** Tells every replica that a grant or a personal token counts no more. */
  announce(tokenId: string): Promise<void>;
}) {
  const { db } = options;
  return {
    /**
     * Shuts a person out at once, everywhere: every sign-in of theirs ends for good, and personal tokens are refused as
     * long as this lasts.
     * @returns false when there is no such user, or a deleted one
     */
    async deactivate(userId: string): Promise<boolean> {
      const ended = await db.transaction(async (query) => {
        // First the mark, which holds the row: a sign-in that comes meanwhile waits here and is then refused.
        const { rows } = await query(
          `update users set is_active = false where id = $1 and deleted_at is null returning id`,
          [userId],
        );
        return rows.length === 0 ? undefined : endAccess(query, userId);
      });
      await Promise.all((ended ?? []).map((tokenId) => options.announce(tokenId)));
      return ended !== undefined;
    },

    /** Lets a person sign in again; personal tokens that are neither revoked nor expired work again. */
    async activate(userId: string): Promise<boolean> {
      const { rows } = await db.query(
        `update users set is_active = true where id = $1 and deleted_at is null returning id`,
        [userId],
      );
      return rows.length > 0;
    },

    /** Every user with this address, deactivated ones too: of one provider, else of those that are configured. */
    async findIds(email: string, provider?: ProviderId): Promise<string[]> {
      const { rows } = await db.query<{ id: string }>(
        `select u.id from users u join identities i on i.user_id = u.id
         where lower(u.email) = lower($1) and u.deleted_at is null
           and (case when $2::text is null then i.provider = any($3::text[]) else split_part(i.provider, ':', 1) = $2 end)
         order by u.created_at`,
        [email, provider ?? null, options.providers],
      );
      return rows.map(({ id }) => id);
    },
  };
}
