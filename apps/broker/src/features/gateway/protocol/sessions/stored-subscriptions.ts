import type { Database, Query } from '#platform/db/database.ts';

const maxPerSession = 100;
/** As text in the row, as much as a client's capabilities may take. */
const maxBytes = 16 * 1024;

/** The resources that sessions subscribed to, in the rows of the sessions. */
export type StoredSubscriptions = {
  read(session: string): Promise<string[]>;
  /** @returns false if the session has as many as it may, or has ended */
  add(session: string, uri: string): Promise<boolean>;
  remove(session: string, uri: string): Promise<void>;
};

type Row = { subscriptions: string };

export function createStoredSubscriptions(db: Database): StoredSubscriptions {
  /** Two processes may change the subscriptions of one session at once. */
  async function lock(query: Query, session: string): Promise<string[] | undefined> {
    const { rows } = await query<Row>(`select subscriptions from mcp_sessions where id_hash = $1 for no key update`, [
      session,
    ]);
    return rows[0] && JSON.parse(rows[0].subscriptions);
  }

  const write = (query: Query, session: string, text: string) =>
    query(`update mcp_sessions set subscriptions = $2 where id_hash = $1`, [session, text]);

  return {
    async read(session) {
      const { rows } = await db.query<Row>(`select subscriptions from mcp_sessions where id_hash = $1`, [session]);
      return rows[0] ? JSON.parse(rows[0].subscriptions) : [];
    },

    add: (session, uri) =>
      db.transaction(async (query) => {
        const uris = await lock(query, session);
        if (!uris) return false;
        if (uris.includes(uri)) return true;
        const text = JSON.stringify([...uris, uri]);
        if (uris.length >= maxPerSession || Buffer.byteLength(text) > maxBytes) return false;
        await write(query, session, text);
        return true;
      }),

    remove: (session, uri) =>
      db.transaction(async (query) => {
        const uris = await lock(query, session);
        if (!uris?.includes(uri)) return;
        await write(query, session, JSON.stringify(uris.filter((one) => one !== uri)));
      }),
  };
}
