import type { Query } from '#platform/db/database.ts';
import type { StoredProvider } from './user-provider.ts';

export type UserCounts = { total: number; active: number };

/** Counts the users of these providers, from the rows that triggers write (tables.sql). */
export async function countUsers(query: Query, providers: readonly StoredProvider[]): Promise<UserCounts> {
  const { rows } = await query<UserCounts>(
    `select coalesce(sum(total), 0)::int as total, coalesce(sum(active), 0)::int as active from user_counts
     where provider = any($1::text[])`,
    [providers],
  );
  return rows[0] ?? { total: 0, active: 0 };
}

/** Adds up the changes since the last time. Of two concurrent calls, the second finds the rows gone. */
export async function foldUserCounts(query: Query): Promise<void> {
  await query(
    `with changes as (delete from user_counts returning provider, total, active)
     insert into user_counts select provider, sum(total), sum(active) from changes group by provider`,
  );
}
