import type { Query } from '#platform/db/database.ts';

/** Which of these people are deactivated or deleted: for a replica that may have missed the notice of it. */
export async function findShutOut(query: Query, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return [];
  const { rows } = await query<{ id: string }>('select id from users where id = any($1::uuid[]) and not is_active', [
    userIds,
  ]);
  return rows.map(({ id }) => id);
}
