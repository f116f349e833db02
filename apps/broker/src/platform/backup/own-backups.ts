import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { freeBytesOf } from '../db/embedded/disk-space-guard.ts';
import type { Query } from '../db/database.ts';
import type { Log } from '../log.ts';
import { messageOf } from '../thrown.ts';

export type OwnBackup = {
  last: { file: string; bytes: number; at: Date } | undefined;
  failure: { at: Date; message: string } | undefined;
};

export type OwnBackups = {
  /** Writes a backup, and then removes old ones. @throws Error if it fails; the old ones stay */
  run(): Promise<void>;
};

type Parts = {
  query: Query;
  folder: string;
  keep: number;
  /** Writes a backup to a new file, under another name until it is complete. */
  write(file: string): Promise<void>;
  clock: Clock;
  log: Log;
};

const backupName = /^souk-\d{8}T\d{6}Z\.tar\.zst$/;
/** Files that an interrupted backup leaves behind. */
const draftName = /^(souk-\d{8}T\d{6}Z\.tar\.zst\.\d{1,10}\.part|\.souk-backup-[A-Za-z0-9]{6})$/;
const oldDraftMs = 24 * 60 * 60_000;

/** Automatic backups, each in a file named after its time. */
export function createOwnBackups({ query, folder, keep, write, clock, log }: Parts): OwnBackups {
  const note = (columns: string, values: readonly unknown[]) => {
    const names = columns.split(', ');
    return query(
      `insert into own_backups (${columns}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})
       on conflict (only_row) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      values,
    );
  };

  async function removeOld(): Promise<void> {
    const names = await readdir(folder);
    const old = names
      .filter((name) => backupName.test(name))
      .toSorted()
      .slice(0, -keep);
    for (const name of names.filter((one) => draftName.test(one))) {
      const found = await stat(join(folder, name)).catch(() => undefined);
      if (found && clock.now() - found.mtimeMs > oldDraftMs) old.push(name);
    }
    for (const name of old) await rm(join(folder, name), { recursive: true, force: true });
    if (old.length > 0) log.info({ removed: old }, 'old backups were removed');
  }

  return {
    async run() {
      const at = new Date(clock.now());
      const file = join(folder, `souk-${at.toISOString().replace(/[-:]|\.\d+/g, '')}.tar.zst`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await write(file);
        const { size } = await stat(file);
        await note('file, bytes, taken_at', [file, size, at]);
        log.info({ file, bytes: size }, 'a backup was written');
      } catch (error) {
        const reason = explain(error, folder);
        await note('failed_at, failure', [at, reason]);
        throw new Error(reason, { cause: error });
      }
      await removeOld();
    },
  };
}

function explain(error: unknown, folder: string): string {
  const message = messageOf(error);
  if (!message.includes('ENOSPC')) return message;
  const freeBytes = freeBytesOf(folder);
  const free = Number.isFinite(freeBytes) ? `, ${Math.floor(freeBytes / 1024 / 1024)} MiB are free` : '';
  return `the disk of ${folder} is full${free}: free some space; existing backups stay (${message})`;
}

/** Reads the result of the last run by any broker. */
export async function readOwnBackup(query: Query): Promise<OwnBackup> {
  const { rows } = await query<{
    file: string | null;
    bytes: number | null;
    at: Date | null;
    failedAt: Date | null;
    failure: string | null;
  }>(`select file, bytes, taken_at as at, failed_at as "failedAt", failure from own_backups`);
  const [row] = rows;
  return {
    last: row?.at && row.file !== null ? { file: row.file, bytes: row.bytes ?? 0, at: row.at } : undefined,
    failure: row?.failedAt ? { at: row.failedAt, message: row.failure ?? '' } : undefined,
  };
}
