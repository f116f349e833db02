import type { Query } from '#platform/db/database.ts';

/** When a person signed in, or used an app, a browser or a token last. */
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
