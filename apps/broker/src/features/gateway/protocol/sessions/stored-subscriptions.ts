import type { Database, Query } from '#platform/db/database.ts';

const maxPerSession = 100;
/** Size of a session's subscriptions as text. As much as a client's capabilities may take. */
const maxBytes = 16 * 1024;

type Row = { subscriptions: string };

export type StoredSubscriptions = ReturnType<typeof createStoredSubscriptions>;

/** The resources that sessions subscribed to, in the rows of the sessions. */
export function createStoredSubscriptions(db: Database) {
  /** Locks the session's row, since another process may change its subscriptions concurrently. */
  async function lock(query: Query, session: string): Promise<string[] | undefined> {
    const { rows } = await query<Row>(`select subscriptions from mcp_sessions where id_hash = $1 for no key update`, [
      session,
    ]);
    return rows[0] && JSON.parse(rows[0].subscriptions);
  }

  const write = (query: Query, session: string, text: string) =>
    query(`update mcp_sessions set subscriptions = $2 where id_hash = $1`, [session, text]);

  return {
    async read(session: string): Promise<string[]> {
      const { rows } = await db.query<Row>(`select subscriptions from mcp_sessions where id_hash = $1`, [session]);
      return rows[0] ? JSON.parse(rows[0].subscriptions) : [];
    },

    /** @returns false if the session has too many subscriptions, or has ended */
    add: (session: string, uri: string): Promise<boolean> =>
      db.transaction(async (query) => {
        const uris = await lock(query, session);
        if (!uris) return false;
        if (uris.includes(uri)) return true;
        const text = JSON.stringify([...uris, uri]);
        if (uris.length >= maxPerSession || Buffer.byteLength(text) > maxBytes) return false;
        await write(query, session, text);
        return true;
      }),

    remove: (session: string, uri: string): Promise<void> =>
      db.transaction(async (query) => {
        const uris = await lock(query, session);
        if (!uris?.includes(uri)) return;
        await write(query, session, JSON.stringify(uris.filter((one) => one !== uri)));
      }),
  };
}
