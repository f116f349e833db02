import type { Database } from '#platform/db/database.ts';

export function createPreferenceStore(db: Database) {
  return {
    /** Returns the ids in alphabetical order. */
    async readDisabled(userId: string): Promise<string[]> {
      const { rows } = await db.query<{ server_id: string }>(
        'select server_id from user_server_prefs where user_id = $1 order by server_id',
        [userId],
      );
      return rows.map((row) => row.server_id);
    },

    async add(userId: string, serverId: string, at: Date): Promise<void> {
      await db.query(
        `insert into user_server_prefs (user_id, server_id, disabled_at) values ($1, $2, $3)
         on conflict (user_id, server_id) do nothing`,
        [userId, serverId, at],
      );
    },

    async remove(userId: string, serverId: string): Promise<void> {
      await db.query('delete from user_server_prefs where user_id = $1 and server_id = $2', [userId, serverId]);
    },

    replace: (userId: string, serverIds: readonly string[], at: Date) =>
      db.transaction(async (query) => {
        // Two concurrent replacements must not end in a mixture of both.
        await query('select id from users where id = $1 for update', [userId]);
        await query('delete from user_server_prefs where user_id = $1 and not (server_id = any ($2::text[]))', [
          userId,
          serverIds,
        ]);
        await query(
          `insert into user_server_prefs (user_id, server_id, disabled_at)
           select $1, unnest($2::text[]), $3::timestamptz on conflict (user_id, server_id) do nothing`,
          [userId, serverIds, at],
        );
      }),
  };
}
