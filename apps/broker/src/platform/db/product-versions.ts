import type { Database, Migration } from './database.ts';
import { DatabaseNewerError } from './database-errors.ts';

export const migrationTableName = 'kysely_migration';

/** Records which version applied a migration, so that an older version can name it when it finds the database. */
export const versionMigrations: readonly Migration[] = [
  {
    name: '0001-platform-migration-versions',
    statements: ['create table migration_versions (name text primary key, version text not null)'],
  },
];

export async function appliedNames({ query }: Pick<Database, 'query'>): Promise<ReadonlySet<string>> {
  if (!(await hasTable({ query }, migrationTableName))) return new Set();
  const { rows } = await query<{ name: string }>(`select name from ${migrationTableName}`);
  return new Set(rows.map(({ name }) => name));
}

/** @throws DatabaseNewerError if the database has a migration that this version does not know */
export async function refuseNewer(
  { query }: Pick<Database, 'query'>,
  {
    applied,
    known,
    version,
  }: { applied: ReadonlySet<string>; known: ReadonlySet<string>; version?: string | undefined },
): Promise<void> {
  const unknown = [...applied].filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  // the last unknown migration is from the newest version that used this database
  const last = await query<{ name: string }>(
    `select name from ${migrationTableName} where name = any($1) order by timestamp desc, name desc limit 1`,
    [unknown],
  );
  const migration = last.rows[0]?.name ?? '';
  const noted = (await hasTable({ query }, 'migration_versions'))
    ? await query<{ version: string }>('select version from migration_versions where name = $1', [migration])
    : undefined;
  throw new DatabaseNewerError({ migration, theirs: noted?.rows[0]?.version, ours: version });
}

/** Records this version for each of these migrations that has none yet. */
export async function recordVersion(
  { query }: Pick<Database, 'query'>,
  version: string,
  names: ReadonlySet<string>,
): Promise<void> {
  await query(
    `insert into migration_versions (name, version)
     select name, $1 from unnest($2::text[]) as name
     where not exists (select from migration_versions as noted where noted.name = name.name) on conflict do nothing`,
    [version, [...names].sort()],
  );
}

async function hasTable({ query }: Pick<Database, 'query'>, table: string): Promise<boolean> {
  const { rows } = await query<{ name: string | null }>('select to_regclass($1)::text as name', [table]);
  return Boolean(rows[0]?.name);
}
