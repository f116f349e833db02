import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases/databases.ts';
import type { Database, Migration } from '../database.ts';
import { DataFolderDamagedError, DataFolderInUseError } from '../database-errors.ts';
import { migrate } from '../migrate.ts';
import { openDatabase } from '../open-database.ts';
import { openEmbeddedDatabase } from './open-embedded-database.ts';
import { defaultCacheDir, ensureStartImage } from './start-image.ts';

const log = pino({ level: 'silent' });
const createTable = 'create table if not exists kept (n int primary key)';

/** Starts a process that opens the folder, prints `ready`, and then every number that it has committed. */
function startWriter(dataDir: string, from: number): ChildProcess {
  const program = `
    import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, '../open-database.ts'))};
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

describe('the embedded database on its folder', () => {
  let dataDir = '';
  let db: Database | undefined;
  const children: ChildProcess[] = [];
  const open = async () => (db = await openDatabase({ databaseUrl: undefined, dataDir, log }));

  /** Creates a closed database, without waiting for the disk as a first start does. */
  const layDatabase = async (folder: string) =>
    cpSync(await ensureStartImage(defaultCacheDir, []), join(folder, 'db'), { recursive: true });
  const newDataDir = () => join(mkdtempSync(join(temporaryRoot(), 'durable-')), 'data');
  /** Data folder that several tests open sequentially. */
  const laid = newDataDir();
  beforeAll(() => layDatabase(laid));
  afterAll(() => rmSync(laid, { recursive: true, force: true }));

  beforeEach(() => {
    dataDir = newDataDir();
  });
  afterEach(async () => {
    await db?.close();
    db = undefined;
    for (const child of children.splice(0)) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    if (dataDir !== laid) rmSync(dataDir, { recursive: true, force: true });
  });

  test('every commit is an fsync that reaches the disk, and a start without counted fsyncs logs an error', async () => {
    const lines: string[] = [];
    const loud = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const options = { dataDir: laid, log: loud, cacheDir: defaultCacheDir, migrations: [] };
    const embedded = await openEmbeddedDatabase(options);
    db = embedded;
    await embedded.query(createTable);
    const before = await embedded.fsyncCount();
    for (let n = 0; n < 25; n += 1) await embedded.query('insert into kept values ($1)', [n]);
    expect((await embedded.fsyncCount()) - before).toBeGreaterThanOrEqual(25);
    const reading = await embedded.fsyncCount();
    for (let n = 0; n < 25; n += 1) await embedded.query('select * from kept');
    expect((await embedded.fsyncCount()) - reading).toBeLessThan(5);
    expect(lines).toEqual([]);
    await db.close();
    db = await openEmbeddedDatabase({ ...options, durable: false });
    expect(lines.join('')).toContain('NOT a power failure');
  });

  test('kill -9 during writes loses nothing that was committed', async () => {
    dataDir = laid;
    const first = 100_000;
    const child = startWriter(dataDir, first);
    children.push(child);
    if (!child.stdout) throw new Error('no output');
    let last = 0; // the last number before it died: all up to it must be there
    for await (const line of createInterface({ input: child.stdout })) {
      if (line === 'ready') continue;
      last = Number(line);
      if (last === first + 30) child.kill('SIGKILL');
    }
    const reopened = await open();
    const { rows } = await reopened.query('select count(*) as n from kept where n between $1 and $2', [first, last]);
    expect(rows).toEqual([{ n: last - first + 1 }]);
  });

  test('[CFG-38] a second opener is refused with the folder named, in another process and in this one', async () => {
    dataDir = laid;
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

  test.each([
    ['the control file is cut', (folder: string) => truncateSync(join(folder, 'global/pg_control'), 10)],
    ['the version is missing', (folder: string) => rmSync(join(folder, 'PG_VERSION'))],
  ])('a damaged folder is a clear error that names the way back: %s', async (_, tear) => {
    await layDatabase(dataDir);
    tear(join(dataDir, 'db'));
    const failure = open();
    await expect(failure).rejects.toThrow(DataFolderDamagedError);
    await expect(failure).rejects.toThrow(/npm run souk -- restore/);
    await expect(open(), 'and the folder is not left locked').rejects.toThrow(DataFolderDamagedError);
  });

  test('a start that was killed while it copied leaves no incomplete database', async () => {
    mkdirSync(join(dataDir, 'db.new/global'), { recursive: true });
    writeFileSync(join(dataDir, 'db.new/global/pg_control'), 'half of it');
    const fresh = await open();
    expect((await fresh.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect(existsSync(join(dataDir, 'db.new'))).toBe(false);
  });

  test('a new folder starts with the migrations applied, for its owner only, and old images are deleted; an older one gets what it lacks', async () => {
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
    const [one, two] = await Promise.all(builders); // both build the image concurrently
    const left = readdirSync(cacheDir);
    expect(left).toHaveLength(3);
    expect(left).toEqual(expect.arrayContaining(['database-1111', 'something-else']));
    expect((await one?.query('select * from first'))?.rows).toEqual([]);
    // the folder is for its owner only, and the database has a separate folder in it
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect([`${dataDir}1`, join(`${dataDir}1`, 'db')].map(modeOf)).toEqual(['700', '700']);
    expect(readdirSync(`${dataDir}1`).sort()).toEqual(['db', 'db.lock']);
    // all users can read the image, as a broker that runs as another user must, and only its owner can write to it
    const image = left.find((name) => !['database-1111', 'something-else'].includes(name)) ?? '';
    const entries = readdirSync(join(cacheDir, image), { recursive: true, withFileTypes: true });
    const modes = entries.map(
      (entry) => `${entry.isFile() ? 'file' : 'folder'} ${modeOf(join(entry.parentPath, entry.name))}`,
    );
    expect([...new Set(modes)].sort()).toEqual(['file 644', 'folder 755']);
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

  test.skipIf(process.platform !== 'linux')("starts if the product's own folder is not writable", async () => {
    // already created: creating it takes seconds
    const image = await ensureStartImage(defaultCacheDir, []);
    cpSync(image, join(dataDir, 'cache', basename(image)), { recursive: true });
    // no user can make folders in sysfs, not even root
    const started = await openDatabase({ databaseUrl: undefined, dataDir, log, cacheDir: '/sys/souk', migrations: [] });
    expect((await started.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await started.close();
    expect(readdirSync(join(dataDir, 'cache'))).toHaveLength(1);
  });
});
