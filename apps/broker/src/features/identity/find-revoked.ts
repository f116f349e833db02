import type { Query } from '#platform/db/database.ts';
import { isUuid } from './users/user-store.ts';

/** Returns those of these tokens (as in Caller) that no longer work: deleted grants and revoked personal tokens. */
export async function findRevoked(query: Query, tokenIds: readonly string[]): Promise<string[]> {
  if (tokenIds.length === 0) return [];
  const { rows } = await query<{ id: string }>(
    `select id from oauth_records where model = 'Grant' and id = any($1::text[]) and expires_at > now()
     union all
     select id::text from personal_tokens where id = any($2::uuid[]) and revoked_at is null`,
    [tokenIds, tokenIds.filter(isUuid)],
  );
  const good = new Set(rows.map(({ id }) => id));
  return tokenIds.filter((id) => !good.has(id));
}
