import type { IconType } from './icon-type.ts';
import type { CatalogueDb } from '../tables.ts';

export type IconFile = { contentType: IconType; bytes: Buffer };

export async function upsertIcon(
  db: CatalogueDb,
  icon: IconFile & { serverId: string; source: string; sha256: string; fetchedAt: Date },
): Promise<void> {
  const row = {
    server_id: icon.serverId,
    source: icon.source,
    sha256: icon.sha256,
    content_type: icon.contentType,
    body: icon.bytes,
    fetched_at: icon.fetchedAt,
  };
  await db
    .insertInto('server_icons')
    .values(row)
    .onConflict((conflict) => conflict.column('server_id').doUpdateSet(row))
    .execute();
}

export async function findIcon(db: CatalogueDb, sha256: string): Promise<IconFile | undefined> {
  const row = await db
    .selectFrom('server_icons')
    .select(['content_type', 'body'])
    .where('sha256', '=', sha256)
    .executeTakeFirst();
  return row && { contentType: row.content_type, bytes: Buffer.from(row.body) };
}
