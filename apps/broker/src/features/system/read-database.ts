import type { System } from '@souk/contract/admin/system.ts';
import type { Database, Migration } from '#platform/db/database.ts';
import { appliedNames } from '#platform/db/product-versions.ts';

/** Reads the kind, version and size of the database, and the migrations that are not applied. */
export async function readDatabase(db: Database, migrations: readonly Migration[]): Promise<System['database']> {
  const [applied, { rows }] = await Promise.all([
    appliedNames(db),
    db.query<{ version: string; size: number }>(
      `select current_setting('server_version') as version, pg_database_size(current_database()) as size`,
    ),
  ]);
  return {
    kind: db.engine === 'pglite' ? 'embedded' : 'postgresql',
    version: rows[0]?.version ?? '',
    sizeBytes: rows[0]?.size ?? 0,
    migrations: {
      applied: applied.size,
      waiting: migrations.map(({ name }) => name).filter((name) => !applied.has(name)),
    },
  };
}
