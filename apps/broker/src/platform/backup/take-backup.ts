import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { readRotation } from '../crypto/master-key-state.ts';
import { masterKeyIdOf } from '../crypto/vault.ts';
import type { Database, Query } from '../db/database.ts';
import { appliedNames } from '../db/product-versions.ts';
import { archiveFormat, type ArchiveHeader } from './archive-format.ts';
import { listTables } from './list-tables.ts';
import { readRows } from './read-rows.ts';
import { writeArchive } from './write-archive.ts';

/** Folders of the data folder: files of services and programs, and installed programs. */
const folders = ['files', 'services', 'programs'];

export type TakeBackup = {
  db: Pick<Database, 'snapshot' | 'engine'>;
  dataDir: string;
  masterKey: string;
  /** The key that a rotation introduces. */
  nextMasterKey?: string | undefined;
  /** Whether the archive contains the key, so that a reader of the archive can read every secret in it. */
  withKey: boolean;
  version: string;
  ledgerSums(query: Query): Promise<ArchiveHeader['ledger']>;
  clock: Clock;
};

/** Writes a snapshot of the database, and the folders, into an archive. @returns its header, and its size in bytes */
export function takeBackup(
  file: string,
  { db, dataDir, masterKey, nextMasterKey, withKey, version, ledgerSums, clock }: TakeBackup,
): Promise<{ header: ArchiveHeader; bytes: number }> {
  return db.snapshot(async (query) => {
    const rotation = await readRotation(query);
    const masterKeyId = rotation?.keyId ?? masterKeyIdOf(masterKey);
    const key = [masterKey, nextMasterKey].find((each) => each !== undefined && masterKeyIdOf(each) === masterKeyId);
    if (withKey && (rotation?.isFinished === false || key === undefined))
      throw new Error(
        'the master key is being rotated: finish it with "souk rotate-key", or take a backup without the key',
      );
    const header: ArchiveHeader = {
      format: archiveFormat,
      version,
      takenAt: new Date(clock.now()).toISOString(),
      database: db.engine,
      migrations: [...(await appliedNames({ query }))].sort(),
      tables: await countedTables(query),
      ledger: await ledgerSums(query),
      masterKeyId,
      ...(rotation?.isFinished === false && { formerKeyId: rotation.formerId }),
      hasKey: withKey,
      folders: folders.filter((name) => existsSync(join(dataDir, name))),
    };
    const rowsOf = (table: ArchiveHeader['tables'][number]) => readRows(query, table);
    const bytes = await writeArchive(file, { header, rowsOf, dataDir, key: withKey ? key : undefined });
    return { header, bytes };
  });
}

async function countedTables(query: Query): Promise<ArchiveHeader['tables']> {
  const counted = [];
  for (const table of await listTables(query)) {
    const { rows } = await query<{ rows: number }>(`select count(*)::int8 as rows from ${table.name}`);
    counted.push({
      ...table,
      columns: [...table.columns],
      partitions: [...table.partitions],
      rows: rows[0]?.rows ?? 0,
    });
  }
  return counted;
}
