import type { Query } from '#platform/db/database.ts';

/** The addresses of people by user id, also of deactivated ones. A deleted account has none. */
export async function emailsOf(query: Query, userIds: readonly string[]): Promise<Map<string, string>> {
  if (userIds.length === 0) return new Map();
  const { rows } = await query<{ id: string; email: string }>(
    'select id, email from users where id = any($1::uuid[]) and deleted_at is null',
    [userIds],
  );
  return new Map(rows.map(({ id, email }) => [id, email]));
}
