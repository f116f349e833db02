import { sql } from 'kysely';
import { Migrator, type Migration as KyselyMigration } from 'kysely/migration';
import { messageOf } from '../thrown.ts';
import type { Database, Migration } from './database.ts';
import { appliedNames, migrationTableName, recordVersion, refuseNewer } from './product-versions.ts';

/**
 * Applies the missing migrations, forward only, in the order of their names, each atomically. Several processes may call it
 * concurrently: an advisory lock lets one apply while the others wait.
 * @param migrations of all features; a name must never change
 * @param version recorded with the migrations that it applies; without it nothing is recorded
 * @throws DatabaseNewerError before anything is changed; the error of a failed statement, its migration rolled back
 */
export async function migrate(db: Database, migrations: readonly Migration[], version?: string): Promise<void> {
  const known = new Set(migrations.map(({ name }) => name));
  const applied = await appliedNames(db);
  await refuseNewer(db, { applied, known, version });
  // most starts have nothing to apply, and Kysely would first read every table and column
  if (applied.size < migrations.length) await applyMissing(db, migrations, version);
  if (version !== undefined) await recordVersion(db, version, known);
}

async function applyMissing(db: Database, migrations: readonly Migration[], version?: string): Promise<void> {
  const provider: Record<string, KyselyMigration> = {};
  for (const { name, statements } of migrations) {
    if (name in provider) throw new Error(`two migrations are named ${name}`);
    provider[name] = {
      async up(transaction) {
        for (const statement of statements) await sql.raw(statement).execute(transaction);
      },
    };
  }
  const migrator = new Migrator({
    db: db.maintenance,
    migrationTableName,
    provider: { getMigrations: async () => provider },
    // Each feature numbers its own migrations, so that a new one may sort before another feature's old one.
    allowUnorderedMigrations: true,
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  // a newer version may have been faster, while this one waited for the lock
  await refuseNewer(db, { applied: await appliedNames(db), known: new Set(Object.keys(provider)), version });
  const failed = results?.find((result) => result.status === 'Error');
  throw new Error(`migration ${failed?.migrationName ?? ''} failed: ${messageOf(error)}`, { cause: error });
}
