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
  /** Without any migration. */
  db: Database;
  migrations: readonly Migration[];
  version: string;
  ledgerSums(query: Query): Promise<ArchiveHeader['ledger']>;
};

/**
 * Fills an empty database with an archive that was read to its end once, then brings it up to this product.
 * @throws Error where the database is not empty, DatabaseNewerError where the archive is of a newer one, ArchiveDamagedError
 *   where what was filled is not what the header says
 */
export async function restoreDatabase(
  file: string,
  header: ArchiveHeader,
  { db, migrations, version, ledgerSums }: RestoreBackup,
): Promise<void> {
  const then = migrationsThen(header, migrations, version);
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
        `the ledger comes to ${JSON.stringify(sums)}, its backup says ${JSON.stringify(header.ledger)}`,
      );
  });
  await migrate(db, migrations, version);
}

/** Those that the database of the backup had. @throws DatabaseNewerError where this product does not know one */
export function migrationsThen(
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

/** Tables may be there, rows may not. @throws Error */
async function requireEmpty(query: Query): Promise<void> {
  for (const { name } of await listTables(query)) {
    if (name.endsWith('.migration_versions')) continue;
    const { rows } = await query(`select from ${name} limit 1`);
    if (rows.length > 0) throw new Error(`the database is not empty (${name}): a backup is restored into a new one`);
  }
}

/** The same migrations make the same tables, unless they were changed by hand. */
async function requireSameTables(query: Query, header: ArchiveHeader): Promise<void> {
  const made = new Map((await listTables(query)).map(({ name, columns }) => [name, JSON.stringify(columns)]));
  for (const { name, columns } of header.tables) {
    if (made.get(name) !== JSON.stringify(columns))
      throw new ArchiveDamagedError(`the table ${name} of the backup has other columns than its migrations make`);
  }
}

/** @throws Error where the data folder has one of the folders of the archive */
export function requireNoFolders({ folders }: ArchiveHeader, dataDir: string): void {
  const there = folders.find((name) => existsSync(join(dataDir, name)));
  if (there !== undefined) throw new Error(`${join(dataDir, there)} exists: a backup is restored into a new folder`);
}

/** Writes the folders of an archive into a data folder that has none of them. @throws Error where one is there */
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
  // an archive is a file that anyone may have written
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
