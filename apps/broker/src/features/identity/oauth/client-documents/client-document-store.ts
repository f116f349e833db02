import type { Query } from '#platform/db/database.ts';
import type { PublicMetadata } from './fetch-client-document.ts';

/** Anybody can publish documents: above this number, the least recently used are deleted. */
const maxDocuments = 5000;
/** Until that happens no more than this are kept; the others are fetched each time. */
const mostDocuments = 2 * maxDocuments;
/** In days; `used_at` is exact to a day. */
const maxUnusedDays = 90;

export type KeptDocument = { metadata: PublicMetadata; fetchedAt: Date };

export type ClientDocumentStore = ReturnType<typeof createClientDocumentStore>;

/** The metadata documents that were good once, in the table client_documents. */
export function createClientDocumentStore(query: Query) {
  return {
    /** The document as it was when it was last fetched; it counts as used. */
    async find(clientId: string): Promise<KeptDocument | undefined> {
      const { rows } = await query<{ metadata: PublicMetadata; fetched_at: Date; is_stale_use: boolean }>(
        `select metadata, fetched_at, used_at < now() - interval '1 day' as is_stale_use
         from client_documents where client_id = $1`,
        [clientId],
      );
      const [row] = rows;
      if (!row) return undefined;
      if (row.is_stale_use) await query(`update client_documents set used_at = now() where client_id = $1`, [clientId]);
      return { metadata: row.metadata, fetchedAt: row.fetched_at };
    },

    /** Keeps a document that has just been fetched, in the place of an earlier one. */
    async keep(clientId: string, metadata: PublicMetadata): Promise<void> {
      await query(
        `insert into client_documents (client_id, metadata, fetched_at, used_at)
         select $1::text, $2::jsonb, now(), now()
         where (select count(*) from client_documents) < ${mostDocuments}
           or exists (select from client_documents where client_id = $1::text)
         on conflict (client_id) do update set metadata = excluded.metadata, fetched_at = excluded.fetched_at`,
        [clientId, JSON.stringify(metadata)],
      );
    },
  };
}

/** Deletes documents that were not used for 90 days, and the least recently used above the limit. @returns how many */
export async function reapClientDocuments(query: Query): Promise<number> {
  const unused = await query(
    `delete from client_documents where used_at < now() - make_interval(days => ${maxUnusedDays})`,
  );
  const above = await query(
    `delete from client_documents where client_id in
       (select client_id from client_documents order by used_at desc, client_id offset ${maxDocuments})`,
  );
  return unused.affectedRows + above.affectedRows;
}
