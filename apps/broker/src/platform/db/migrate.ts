import { sql } from 'kysely';
import { Migrator, type Migration as KyselyMigration } from 'kysely/migration';
import type { Database, Migration } from './database.ts';

const migrationTableName = 'kysely_migration';

/**
 * Applies the migrations that the database does not have yet, forward only, in the order of their names, each atomically.
 * Several processes may call it at once: an advisory lock lets one apply while the others wait.
 * @param migrations of all features together; a name must never change
 * @throws the error of the statement that failed, its migration rolled back
 */
export async function migrate(db: Database, migrations: readonly Migration[]): Promise<void> {
  const provider: Record<string, KyselyMigration> = {};
  for (const { name, statements } of migrations) {
    if (name in provider) throw new Error(`two migrations are named ${name}`);
    provider[name] = {
      async up(transaction) {
        for (const statement of statements) await sql.raw(statement).execute(transaction);
      },
    };
  }
  if (await hasAll(db, Object.keys(provider))) return;
  const migrator = new Migrator({
    db: db.maintenance,
    migrationTableName,
    provider: { getMigrations: async () => provider },
    // Each feature numbers its own migrations, so a new one may sort before another feature's old one.
    allowUnorderedMigrations: true,
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error');
  throw new Error(
    `migration ${failed?.migrationName ?? ''} failed: ${error instanceof Error ? error.message : String(error)}`,
    {
      cause: error,
    },
  );
}

/** Whether exactly these are applied, as at most starts: Kysely would first read every table and column that there is. */
async function hasAll(db: Database, names: readonly string[]): Promise<boolean> {
  const table = await db.query<{ name: string | null }>('select to_regclass($1)::text as name', [migrationTableName]);
  if (!table.rows[0]?.name) return false;
  const { rows } = await db.query<{ name: string }>(`select name from ${migrationTableName}`);
  const applied = new Set(rows.map(({ name }) => name));
  return applied.size === names.length && names.every((name) => applied.has(name));
}
