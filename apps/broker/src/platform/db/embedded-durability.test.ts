import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases.ts';
import type { Database, Migration } from './database.ts';
import { DataFolderDamagedError, DataFolderInUseError } from './database-errors.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open-database.ts';
import { openEmbeddedDatabase } from './open-embedded-database.ts';
import { defaultCacheDir, ensureStartImage } from './start-image.ts';

const log = pino({ level: 'silent' });
const createTable = 'create table if not exists kept (n int primary key)';

/** A process that opens the folder, says `ready`, and then every number that it has committed. */
function startWriter(dataDir: string, from: number): ChildProcess {
  const program = `
    import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, 'open-database.ts'))};
    const log = { warn() {}, error() {} };
    const dataDir = process.argv[1];
    try {
      const db = await openDatabase({ databaseUrl: undefined, dataDir, log });
      await db.query(${JSON.stringify(createTable)});
      console.log('ready');
      for (let n = Number(process.argv[2]); ; n += 1) {
        await db.query('insert into kept values ($1)', [n]);
        console.log(n);
      }
    } catch (error) {
      console.log(error.name + ': ' + error.message);
      process.exit(1);
    }`;
  return spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', program, dataDir, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

// the speed of the disk is not what is proved here, and some disks are many times slower
describe('the embedded database on its folder', { timeout: 120_000 }, () => {
  let dataDir = '';
  let db: Database | undefined;
  const children: ChildProcess[] = [];
  const open = async () => (db = await openDatabase({ databaseUrl: undefined, dataDir, log }));

  /** A database that was closed, without waiting for the disk as a first start does. */
  const layDatabase = async () =>
    cpSync(await ensureStartImage(defaultCacheDir, []), join(dataDir, 'db'), { recursive: true });

  beforeEach(() => {
    dataDir = join(mkdtempSync(join(temporaryRoot(), 'durable-')), 'data');
  });
  afterEach(async () => {
    await db?.close();
    db = undefined;
    for (const child of children.splice(0)) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('every commit is an fsync that reaches the disk', async () => {
    await layDatabase();
    const embedded = await openEmbeddedDatabase({ dataDir, log, cacheDir: defaultCacheDir, migrations: [] });
    db = embedded;
    await embedded.query(createTable);
    const before = await embedded.fsyncCount();
    for (let n = 0; n < 25; n += 1) await embedded.query('insert into kept values ($1)', [n]);
    expect((await embedded.fsyncCount()) - before).toBeGreaterThanOrEqual(25);
    const reading = await embedded.fsyncCount();
    for (let n = 0; n < 25; n += 1) await embedded.query('select * from kept');
    expect((await embedded.fsyncCount()) - reading).toBeLessThan(5);
  });

  test('a start that counts no fsync says so loudly', async () => {
    const lines: string[] = [];
    const loud = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const image = { cacheDir: defaultCacheDir, migrations: [] };
    await layDatabase();
    db = await openEmbeddedDatabase({ dataDir, log: loud, ...image });
    expect(lines).toEqual([]);
    await db.close();
    db = await openEmbeddedDatabase({ dataDir, log: loud, ...image, durable: false });
    expect(lines.join('')).toContain('NOT a power failure');
  });

  test('repeated kill -9 during writes loses nothing that was committed', async () => {
    await layDatabase();
    for (let round = 1; round <= 3; round += 1) {
      const first = round * 100_000;
      const child = startWriter(dataDir, first);
      children.push(child);
      if (!child.stdout) throw new Error('no output');
      let last = 0; // what it said last before it died: all up to this must be there
      for await (const line of createInterface({ input: child.stdout })) {
        if (line === 'ready') continue;
        last = Number(line);
        if (last === first + 30 * round) child.kill('SIGKILL');
      }
      const reopened = await open();
      const { rows } = await reopened.query('select count(*) as n from kept where n between $1 and $2', [first, last]);
      expect(rows, `round ${round}`).toEqual([{ n: last - first + 1 }]);
      await reopened.close();
    }
  });

  test('[CFG-38] a second opener is refused with the folder named, in another process and in this one', async () => {
    await layDatabase();
    await open();
    const child = startWriter(dataDir, 1);
    children.push(child);
    if (!child.stdout) throw new Error('no output');
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    expect(line).toContain('DataFolderInUseError');
    expect(line).toContain(join(dataDir, 'db'));
    await expect(openDatabase({ databaseUrl: undefined, dataDir, log })).rejects.toThrow(DataFolderInUseError);
    await db?.close();
    await open();
  });

  test('the folder is readable by its owner only, and the database has its own folder in it', async () => {
    await open();
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'db')).mode & 0o777).toBe(0o700);
    expect(readdirSync(dataDir).sort()).toEqual(['db', 'db.lock']);
  });

  test.each([
    ['the control file is cut', (folder: string) => truncateSync(join(folder, 'global/pg_control'), 10)],
    ['the version is missing', (folder: string) => rmSync(join(folder, 'PG_VERSION'))],
    ['a whole part is missing', (folder: string) => renameSync(join(folder, 'base'), join(folder, 'elsewhere'))],
    ['it is a database of another version', (folder: string) => writeFileSync(join(folder, 'PG_VERSION'), '15\n')],
  ])('a torn folder is a clear error that names the way back: %s', async (_, tear) => {
    await layDatabase();
    tear(join(dataDir, 'db'));
    const failure = open();
    await expect(failure).rejects.toThrow(DataFolderDamagedError);
    await expect(failure).rejects.toThrow(/npm run souk -- restore/);
    await expect(open(), 'and the folder is not left locked').rejects.toThrow(DataFolderDamagedError);
  });

  test('a start that was killed while it copied leaves no incomplete database', async () => {
    await layDatabase();
    renameSync(join(dataDir, 'db'), join(dataDir, 'db.new'));
    rmSync(join(dataDir, 'db.new/PG_VERSION'));
    const fresh = await open();
    expect((await fresh.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect(existsSync(join(dataDir, 'db.new'))).toBe(false);
  });

  test('a new folder starts with the migrations in it, and old images go; an older one gets those that it lacks', async () => {
    const cacheDir = join(dataDir, '../cache');
    for (const [name, ageDays] of [
      ['database-0000', 8],
      ['database-1111', 1],
      ['something-else', 8],
    ] as const) {
      mkdirSync(join(cacheDir, name), { recursive: true });
      const at = new Date(Date.now() - ageDays * 24 * 60 * 60_000);
      utimesSync(join(cacheDir, name), at, at);
    }
    const first: Migration = { name: 'a-0001', statements: ['create table first (n int)'] };
    const second: Migration = { name: 'b-0001', statements: ['create table second (n int)'] };
    const builders = [1, 2].map((n) =>
      openDatabase({ databaseUrl: undefined, dataDir: `${dataDir}${n}`, log, cacheDir, migrations: [first] }),
    );
    const [one, two] = await Promise.all(builders); // both build the image at once
    const left = readdirSync(cacheDir);
    expect(left).toHaveLength(3);
    expect(left).toEqual(expect.arrayContaining(['database-1111', 'something-else']));
    expect((await one?.query('select * from first'))?.rows).toEqual([]);
    await Promise.all([one?.close(), two?.close()]);
    db = await openDatabase({
      databaseUrl: undefined,
      dataDir: `${dataDir}1`,
      log,
      cacheDir,
      migrations: [first, second],
    });
    await migrate(db, [first, second]);
    expect((await db.query('select * from second')).rows).toEqual([]);
  });

  test.skipIf(process.platform !== 'linux')("starts where the product's own folder cannot be written", async () => {
    // no user can make folders in sysfs, not even root
    const started = await openDatabase({ databaseUrl: undefined, dataDir, log, cacheDir: '/sys/souk', migrations: [] });
    expect((await started.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await started.close();
    expect(readdirSync(join(dataDir, 'cache'))).toHaveLength(1);
  });
});
