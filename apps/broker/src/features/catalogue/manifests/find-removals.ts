import { sql } from 'kysely';
import { arrayLiteral } from '#platform/db/array-literal.ts';
import type { CatalogueDb } from '../tables.ts';

/** Action that removed a server from the catalogue and from staging. */
export type Removal = 'deleted' | 'undeployed';

/** Finds in the audit log which action removed each of these servers. A server without a row is missing. */
export async function findRemovals(
  db: CatalogueDb,
  serverIds: readonly string[],
): Promise<ReadonlyMap<string, Removal>> {
  if (serverIds.length === 0) return new Map();
  const { rows } = await sql<{ subject: string; gone: Removal }>`
    select distinct on (subject) subject, replace(action, 'manifest.', '') as gone from audit_log
    where subject = any(${arrayLiteral(serverIds)}::text[]) and action in ('manifest.deleted', 'manifest.undeployed')
    order by subject, id desc`.execute(db);
  return new Map(rows.map(({ subject, gone }) => [subject, gone]));
}
