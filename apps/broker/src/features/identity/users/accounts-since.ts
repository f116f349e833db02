import type { Query } from '#platform/db/database.ts';

/** Since when people have had their accounts, by user id. Deactivated and deleted ones are left out. */
export async function accountsSince(query: Query, userIds: readonly string[]): Promise<Map<string, Date>> {
  if (userIds.length === 0) return new Map();
  const { rows } = await query<{ id: string; created_at: Date }>(
    'select id, created_at from users where id = any($1::uuid[]) and deleted_at is null and is_active',
    [userIds],
  );
  return new Map(rows.map((row) => [row.id, row.created_at]));
}
