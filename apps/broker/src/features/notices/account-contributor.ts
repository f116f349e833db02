import type { Database } from '#platform/db/database.ts';

/** Exports and erases a user's notices and switches. */
export function noticesContributor({ query }: Pick<Database, 'query'>) {
  return {
    name: 'notices',
    export: async (userId: string) => {
      const [notices, off] = await Promise.all([
        query(
          `select kind, facts, created_at as "createdAt", outcome, done_at as "endedAt" from notices where user_id = $1
           order by created_at desc limit 10000`,
          [userId],
        ),
        query('select kind, off_since as "offSince" from notice_switches where user_id = $1 order by kind', [userId]),
      ]);
      return { notices: notices.rows, switchedOff: off.rows };
    },
    erase: async (userId: string, run: Database['query']) => {
      await run('delete from notices where user_id = $1', [userId]);
      await run('delete from notice_switches where user_id = $1', [userId]);
    },
  };
}
