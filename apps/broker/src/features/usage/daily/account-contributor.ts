import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';

/** Bounds the file. Thirty tools on each day of a year fit. */
const maxRecords = 11_000;

/** A user's use by day, newest first. It stays after single calls are deleted. */
export function usageByDayContributor({ query }: { query: Query }): AccountContributor {
  return {
    name: 'usageByDay',
    async export(userId) {
      const { rows } = await query(
        `select to_char(day, 'YYYY-MM-DD') as date, server_id as "serverId", name, sum(calls)::bigint as calls,
           sum(answered)::bigint as answered, sum(credits)::bigint as credits
         from usage_by_day where user_id = $1 and kind = 'tool' and server_id <> ''
         group by usage_by_day.day, server_id, name order by usage_by_day.day desc, calls desc limit $2`,
        [userId, maxRecords],
      );
      return rows;
    },
    // deleted with the calls (../account-contributor.ts)
    erase: () => Promise.resolve(),
  };
}
