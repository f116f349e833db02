import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { asRecord } from '../../json.ts';
import { DiskFullError, isDatabaseLost, isDiskFull } from '../database-errors.ts';
import { createDiskSpaceGuard, neededBytes } from './disk-space-guard.ts';
import { openEmbeddedDatabase, type EmbeddedOptions } from './open-embedded-database.ts';
import { defaultCacheDir } from './start-image.ts';

const MiB = 1024 * 1024;

describe('the check of free disk space', () => {
  test('runs at most ten times a second, and reports only changes, with a higher threshold for the way back', () => {
    let nowMs = 0;
    let free = neededBytes;
    let looks = 0;
    const guard = createDiskSpaceGuard(
      '/data',
      () => nowMs,
      () => {
        looks++;
        return free;
      },
    );
    const lookLater = () => {
      nowMs += 100;
      return guard.look()?.isFull;
    };
    for (let n = 0; n < 1000; n++) guard.look();
    expect(looks).toBe(1);
    free = neededBytes - 1;
    expect(guard.look()).toBe(undefined);
    expect([lookLater(), lookLater()]).toEqual([true, undefined]);
    free = neededBytes;
    expect([lookLater(), guard.space.isFull]).toEqual([undefined, true]);
    free = 80 * MiB;
    expect([lookLater(), guard.space.isFull]).toEqual([false, false]);
  });
});

/** Mounts a separate disk, so that it can be filled. @returns false if this machine does not allow it */
function mountDisk(folder: string): boolean {
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    // oxlint-disable-next-line no-console -- an unnoticed skip would pass for a proof
    console.warn('Skipped: the embedded database on a full disk. Only root can mount a small disk.');
    return false;
  }
}

describe('the embedded database on a full disk', () => {
  let disk = '';
  let isMounted = false;
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const open = (options?: Partial<EmbeddedOptions>) =>
    openEmbeddedDatabase({ dataDir: join(disk, 'data'), log, cacheDir: defaultCacheDir, migrations: [], ...options });

  beforeEach(() => {
    disk = mkdtempSync(join(temporaryRoot(), 'disk-'));
    isMounted = mountDisk((disk = join(disk, 'full')));
    lines.length = 0;
  });
  afterEach(() => {
    rmSync(filler(), { force: true }); // a worker that waits for space continues
    if (isMounted) execFileSync('umount', ['--lazy', disk]);
    rmSync(disk, { recursive: true, force: true });
  });

  const filler = () => join(disk, 'filler');
  function fill(): void {
    const block = Buffer.alloc(MiB);
    try {
      for (;;) appendFileSync(filler(), block);
    } catch (error) {
      if (asRecord(error)?.['code'] !== 'ENOSPC') throw error;
    }
  }

  test('refuses writes, keeps reading, loses nothing, and recovers automatically', async ({ skip }) => {
    skip(!isMounted, 'a small disk can be mounted by root only');
    const db = await open();
    await db.query('create table kept (n int primary key, filling text)');
    let written = 0;
    /** @returns why the row was not written */
    const write = async (): Promise<unknown> => {
      try {
        await db.query('insert into kept values ($1, $2)', [written, 'y'.repeat(8000)]);
      } catch (error) {
        return error;
      }
      written++;
      return undefined;
    };
    const refusals: unknown[] = [];
    await write();
    fill();
    // PostgreSQL's own error, that a file cannot grow, may come before the next check
    while (!String(refusals.at(-1)).includes('has 0 MiB free and needs 64 MiB')) refusals.push(await write());
    for (let n = 0; n < 300; n++) refusals.push(await write());
    const given = refusals.filter((error) => error !== undefined);
    expect(given.length).toBeGreaterThan(300);
    expect(given.every((error) => isDiskFull(error) && isDatabaseLost(error))).toBe(true);
    const both = db.transaction(async (query) => {
      expect((await query('select count(*) as n from kept')).rows).toEqual([{ n: written }]);
      await query('delete from kept');
    });
    await expect(both).rejects.toMatchObject({ code: '53100' });
    await expect(db.query('select n from kept for update')).rejects.toMatchObject({ code: '53100' });
    expect((await db.query('select count(*) as n from kept')).rows).toEqual([{ n: written }]);
    expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('Nothing is written until it has space')]);

    rmSync(filler());
    let last = await write();
    for (; last !== undefined; last = await write()) refusals.push(last);
    expect(asRecord(refusals.at(-1))).toMatchObject({ code: '53100' });
    expect((await db.query('select count(*) as n from kept')).rows).toEqual([{ n: written }]);
    expect(lines.map(({ msg }) => msg).slice(1)).toEqual([expect.stringContaining('has space again')]);
    await db.close();
  });

  test('waits for space with a write to the log that was not refused, and recovers automatically', async ({ skip }) => {
    skip(!isMounted, 'a small disk can be mounted by root only');
    const db = await open();
    fill();
    let done = 0;
    // writes only to the log, also in a read-only session: more than the rest of its segment
    const messages = (async () => {
      for (; done < 20; done++) await db.query(`select pg_logical_emit_message(true, 'x', repeat('y', 1000000))`);
    })();
    let [last, looks] = [0, 0];
    await waitUntil('the log waits', () => {
      looks = done === last ? looks + 1 : 0;
      last = done;
      return looks === 50;
    });
    expect(done).toBeLessThan(20);
    rmSync(filler());
    await messages;
    expect(done).toBe(20);
    await db.close();
  });

  test('is a clear error at the start', async ({ skip }) => {
    skip(!isMounted, 'a small disk can be mounted by root only');
    fill();
    const outcome = await open().catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(DiskFullError);
    expect(String(outcome)).toMatch(/is full: it has 0 MiB free and needs 64 MiB. Free space, then start again/);
    rmSync(filler());
    await (await open()).close();
  });
});
