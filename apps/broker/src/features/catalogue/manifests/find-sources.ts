import { sql } from 'kysely';
import type { CatalogueDb } from '../tables.ts';
import type { ManifestSource } from './manifest-source.ts';

export type SourceOfServer = { serverId: string; source: ManifestSource };

/** Finds the source of the newest import of each deployed or staged server, or of one server. */
export async function findSources(db: CatalogueDb, serverId?: string): Promise<SourceOfServer[]> {
  const { rows } = await sql<SourceOfServer>`
    select distinct on (m.server_id) m.server_id as "serverId", m.source from manifest_versions m
    where m.source is not null ${serverId === undefined ? sql`` : sql`and m.server_id = ${serverId}`} and exists (
      select from manifest_versions c where c.server_id = m.server_id and c.status <> 'superseded')
    order by m.server_id, m.created_at desc`.execute(db);
  return rows;
}
