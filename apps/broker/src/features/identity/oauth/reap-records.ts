import type { Database } from '#platform/db/database.ts';
import { foldUserCounts } from '../users/count-users.ts';
import { reapSignIns } from '../sign-ins/sign-in-store.ts';
import { reapClientDocuments } from './client-documents/client-document-store.ts';

/**
 * Deletes what no longer has an effect: expired records (codes and hand-off tickets, sessions, unfinished sign-ins,
 * tokens, grants), clients that registered fourteen days ago and have no grant, authorizations whose grant was deleted,
 * sign-ins of three months ago, and unused metadata documents of clients.
 * @returns the number of rows; 0 also while another replica does it
 */
export async function reapRecords(db: Pick<Database, 'transaction'>): Promise<number> {
  return db.transaction(async (query) => {
    const { rows } = await query<{ ours: boolean }>(
      `select pg_try_advisory_xact_lock(hashtext('souk:identity-reaping')) as ours`,
    );
    if (!rows[0]?.ours) return 0;
    const expired = await query(`delete from oauth_records where expires_at <= now()`);
    // a repeated registration counts as new (record-store.ts)
    const clients = await query(
      `delete from oauth_records c where c.model = 'Client' and c.created_at < now() - interval '14 days'
         and not exists (select 1 from oauth_records g where g.model = 'Grant' and g.payload->>'clientId' = c.id)`,
    );
    const authorizations = await query(
      `delete from authorizations a
       where not exists (select 1 from oauth_records g where g.model = 'Grant' and g.id = a.grant_id)`,
    );
    const documents = await reapClientDocuments(query);
    const signIns = await reapSignIns(query);
    await foldUserCounts(query);
    return expired.affectedRows + clients.affectedRows + authorizations.affectedRows + documents + signIns;
  });
}
