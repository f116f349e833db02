import type { Query } from '#platform/db/database.ts';
import { escapeLike } from './find-users.ts';

/** Creation dates of accounts by user id, without deactivated and deleted ones. */
export async function accountsSince(query: Query, userIds: readonly string[]): Promise<Map<string, Date>> {
  if (userIds.length === 0) return new Map();
  const { rows } = await query<{ id: string; created_at: Date }>(
    'select id, created_at from users where id = any($1::uuid[]) and deleted_at is null and is_active',
    [userIds],
  );
  return new Map(rows.map((row) => [row.id, row.created_at]));
}

/** E-mail addresses by user id, of deactivated accounts too. A deleted account has none. */
export async function emailsOf(query: Query, userIds: readonly string[]): Promise<Map<string, string>> {
  if (userIds.length === 0) return new Map();
  const { rows } = await query<{ id: string; email: string }>(
    'select id, email from users where id = any($1::uuid[]) and deleted_at is null',
    [userIds],
  );
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/** Ids of the users whose e-mail address begins with this text, in any case: at most 100. */
export async function usersOfAddress(query: Query, prefix: string): Promise<string[]> {
  const { rows } = await query<{ id: string }>(
    'select distinct user_id::text as id from user_prefixes where prefix like lower($1) limit 100',
    [`${escapeLike(prefix)}%`],
  );
  return rows.map(({ id }) => id);
}

/** Finds deactivated and deleted users, for a replica that may have missed the notice. */
export async function findShutOut(query: Query, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return [];
  const { rows } = await query<{ id: string }>('select id from users where id = any($1::uuid[]) and not is_active', [
    userIds,
  ]);
  return rows.map(({ id }) => id);
}

/** When a user last signed in, or used an app, a browser or a token. */
export async function lastSeen(query: Query, userId: string): Promise<Date | undefined> {
  const { rows } = await query<{ at: Date | null }>(
    `select greatest(
       (select last_login_at from users where id = $1),
       (select max(last_used_at) from authorizations where user_id = $1),
       (select max(last_used_at) from personal_tokens where user_id = $1)) as at`,
    [userId],
  );
  return rows[0]?.at ?? undefined;
}
