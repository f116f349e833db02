import type { Query } from '#platform/db/database.ts';
import type { PublicMetadata } from './fetch-client-document.ts';

/** Anyone can publish documents: above this number, the least recently used are deleted. */
const maxDocuments = 5000;
/** Until the next deletion, at most this many are stored; the others are fetched each time. */
const mostDocuments = 2 * maxDocuments;
/** Counted in days, to which `used_at` is exact. */
const maxUnusedDays = 90;

export type StoredDocument = { metadata: PublicMetadata; fetchedAt: Date };

export type ClientDocumentStore = ReturnType<typeof createClientDocumentStore>;

/** Metadata documents that were once valid, in the table client_documents. */
export function createClientDocumentStore(query: Query) {
  return {
    /** Finds a document as last fetched, and marks it as used. */
    async find(clientId: string): Promise<StoredDocument | undefined> {
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

/** Deletes documents that were unused for 90 days, and the least recently used above the limit. @returns how many */
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
