import { existsSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Database, Migration, Query } from '../db/database.ts';
import { DatabaseNewerError } from '../db/database-errors.ts';
import { migrate } from '../db/migrate.ts';
import { queryWithin } from '../db/query-within.ts';
import { ArchiveDamagedError, tableOfPiece, type ArchiveHeader } from './archive-format.ts';
import { listTables } from './list-tables.ts';
import { finishTables, loadRows, prepareTables } from './load-rows.ts';
import { staysInFolder } from './stays-in-folder.ts';
import { readArchive, type ReadEntry } from './read-archive.ts';

export type RestoreBackup = {
  /** A database without any migration. */
  db: Database;
  migrations: readonly Migration[];
  version: string;
  ledgerSums(query: Query): Promise<ArchiveHeader['ledger']>;
};

/**
 * Fills an empty database from a verified archive, then migrates it to this version.
 * @throws Error if the database is not empty, DatabaseNewerError if the archive is from a newer version, ArchiveDamagedError
 *   if the result differs from the header
 */
export async function restoreDatabase(
  file: string,
  header: ArchiveHeader,
  { db, migrations, version, ledgerSums }: RestoreBackup,
): Promise<void> {
  const then = migrationsOfBackup(header, migrations, version);
  await requireEmpty(db.query);
  await migrate(db, then);
  await requireSameTables(db.query, header);
  // on the connections without a time limit: one statement fills and counts a table of a large shop
  await db.maintenance.transaction().execute(async (transaction) => {
    const query = queryWithin(transaction);
    await prepareTables(query, header.tables);
    const loaded = new Map<string, number>();
    for await (const { name, bytes } of readArchive(file)) {
      const table = header.tables.find((one) => one.name === tableOfPiece(name));
      if (table) loaded.set(table.name, (loaded.get(table.name) ?? 0) + (await loadRows(query, table, bytes)));
    }
    for (const { name, rows } of header.tables)
      if ((loaded.get(name) ?? 0) !== rows)
        throw new ArchiveDamagedError(`the table ${name} has ${loaded.get(name) ?? 0} rows, its backup says ${rows}`);
    await finishTables(query, header.tables);
    const sums = await ledgerSums(query);
    if (JSON.stringify(sums) !== JSON.stringify(header.ledger))
      throw new ArchiveDamagedError(
        `the ledger adds up to ${JSON.stringify(sums)}, its backup says ${JSON.stringify(header.ledger)}`,
      );
  });
  await migrate(db, migrations, version);
}

/** Returns the migrations of the backup's database. @throws DatabaseNewerError for an unknown one */
export function migrationsOfBackup(
  header: ArchiveHeader,
  migrations: readonly Migration[],
  version: string,
): readonly Migration[] {
  const known = new Set(migrations.map(({ name }) => name));
  const migration = header.migrations.findLast((name) => !known.has(name));
  if (migration !== undefined) throw new DatabaseNewerError({ migration, theirs: header.version, ours: version });
  const had = new Set(header.migrations);
  return migrations.filter(({ name }) => had.has(name));
}

/** Accepts tables, but not rows. @throws Error */
async function requireEmpty(query: Query): Promise<void> {
  for (const { name } of await listTables(query)) {
    if (name.endsWith('.migration_versions')) continue;
    const { rows } = await query(`select from ${name} limit 1`);
    if (rows.length > 0) throw new Error(`the database is not empty (${name}): a backup is restored into a new one`);
  }
}

/** Checks that the tables were not changed by hand: the same migrations make the same tables. @throws ArchiveDamagedError */
async function requireSameTables(query: Query, header: ArchiveHeader): Promise<void> {
  const made = new Map((await listTables(query)).map(({ name, columns }) => [name, JSON.stringify(columns)]));
  for (const { name, columns } of header.tables) {
    if (made.get(name) !== JSON.stringify(columns))
      throw new ArchiveDamagedError(`the table ${name} of the backup has other columns than its migrations create`);
  }
}

/** @throws Error if the data folder has one of the archive's folders */
export function requireNoFolders({ folders }: ArchiveHeader, dataDir: string): void {
  const there = folders.find((name) => existsSync(join(dataDir, name)));
  if (there !== undefined) throw new Error(`${join(dataDir, there)} exists: a backup is restored into a new folder`);
}

/** Writes the folders of an archive into a data folder that has none of them. @throws Error if it has one */
export async function restoreFolders(file: string, header: ArchiveHeader, dataDir: string): Promise<void> {
  requireNoFolders(header, dataDir);
  for await (const entry of readArchive(file))
    if (entry.name.startsWith('folders/')) await restoreEntry(dataDir, entry, header.folders);
}

async function restoreEntry(
  dataDir: string,
  { name, bytes, mode, link }: ReadEntry,
  folders: readonly string[],
): Promise<void> {
  const path = resolve(dataDir, name.slice('folders/'.length));
  const [folder] = relative(dataDir, path).split(sep);
  // an archive may come from anyone
  if (folder === undefined || !folders.includes(folder))
    throw new ArchiveDamagedError(`${name} leaves the data folder`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (link === undefined) {
    await writeFile(path, bytes, { flag: 'wx' });
    await chmod(path, mode & 0o777);
    return;
  }
  if (!staysInFolder(dataDir, relative(dataDir, path), link))
    throw new ArchiveDamagedError(`the link ${name} leaves its folder`);
  await symlink(link, path);
}
