import type { Query } from '#platform/db/database.ts';
import { escapeLike } from './find-users.ts';

const most = 100;

/** The ids of users whose e-mail address begins so, in any case: at most 100. Deleted accounts have no address. */
export async function usersOfAddress(query: Query, prefix: string): Promise<string[]> {
  const { rows } = await query<{ id: string }>(
    'select distinct user_id::text as id from user_prefixes where prefix like lower($1) limit $2',
    [`${escapeLike(prefix)}%`, most],
  );
  return rows.map(({ id }) => id);
}
