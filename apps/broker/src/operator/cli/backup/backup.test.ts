import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { databaseCommands } from '#operator/commands/database-commands.ts';
import { createVault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import { migrate } from '#platform/db/migrate.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { connectPatiently, createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases/databases.ts';
import { migrations } from '../../../migrations.ts';
import { version } from '../../../version.ts';
import { runSouk } from '../testing/run-souk.ts';

const log = createLog('silent');
const key = randomBytes(32).toString('base64url');

describe('souk backup and restore', () => {
  let folder: string;
  let dataDir: string;
  let db: Database;
  let server: OperatorServer;
  /**
   * A shop for what is the same on both databases: on PostgreSQL if available, since each backup of the embedded one
   * opens a copy of it.
   */
  let other: { db: Database; environment: NodeJS.ProcessEnv };
  const at = (name: string) => join(folder, name);
  const newDataDir = () => mkdtemp(at('data-'));
  const souk = (argv: string[], environment: NodeJS.ProcessEnv = {}) =>
    runSouk(argv, { environment: { DATA_DIR: dataDir, ...environment } });
  const logRow = (subject: string) =>
    db.query(`insert into audit_log (at, action, subject) values (now(), 'test.row', $1)`, [subject]);
  const rowsIn = async (restored: string) => {
    const opened = await openDatabase({ databaseUrl: undefined, dataDir: restored, log });
    const { rows } = await opened.query<{ n: number }>(
      `select count(*)::int as n from audit_log where action = 'test.row'`,
    );
    await opened.close();
    return rows[0]?.n;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(temporaryRoot(), 'backup-'));
    dataDir = await newDataDir();
    writeFileSync(join(dataDir, 'master.key'), `${key}\n`, { mode: 0o600 });
    db = await openDatabase({ databaseUrl: undefined, dataDir, log, migrations });
    await migrate(db, migrations, version);
    await mkdir(join(dataDir, 'services', 'notes'), { recursive: true });
    writeFileSync(join(dataDir, 'services', 'notes', 'notes.json'), '[]');
    server = await createOperatorServer({ dataDir, commands: databaseCommands({ db, vault: createVault(key) }), log });
    other = { db, environment: {} };
    if (!hasPostgres()) return;
    const url = await createPostgresDatabase(migrations);
    other = { db: await connectPatiently(url), environment: { DATABASE_URL: url } };
  });
  afterEach(async () => {
    await other.db.query('delete from signing_keys');
    await other.db.query(`delete from kysely_migration where name = '9999-later'`);
  });
  afterAll(async () => {
    await server?.stop();
    await db?.close();
    await other?.db.close();
  });

  test('[CFG-27] [CFG-28] brings one moment of a running shop, while it goes on writing', async () => {
    await logRow('before');
    const file = at('running.tar.zst');
    let written = 1;
    const over = new AbortController();
    const writing = (async () => {
      for (; !over.signal.aborted; written += 1) await logRow('meanwhile');
    })();
    const taken = await souk(['backup', file]);
    const atEnd = written;
    over.abort();
    await writing;
    expect(taken).toMatchObject({
      code: 0,
      out: expect.stringMatching(/running\.tar\.zst: \d+ rows of \d+ tables, \d+ KiB$/),
    });
    expect(taken.err).toContain('The master key is not in the file.');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(
      readdirSync(folder).filter((name) => /part|souk-backup/.test(name)),
      'no temporary file is left',
    ).toEqual([]);
    expect(await souk(['backup', file])).toMatchObject({ code: 64, err: expect.stringContaining('exists') });

    const to = await newDataDir();
    const environment = { DATA_DIR: to, MASTER_KEY: key };
    const checked = await souk(['restore', file, '--check'], environment);
    expect(checked).toMatchObject({
      code: 0,
      out: expect.stringContaining(`Would restore: Souk ${version}, pglite, as of`),
    });
    expect(readdirSync(to)).toEqual([]);
    const restored = await souk(['restore', file], environment);
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining('folders: services') });
    expect(readFileSync(join(to, 'services/notes/notes.json'), 'utf8')).toBe('[]');
    const rows = await rowsIn(to);
    expect(rows).toBeGreaterThanOrEqual(1);
    expect(rows).toBeLessThanOrEqual(atEnd + 1);
    expect(await souk(['restore', file], environment)).toMatchObject({
      code: 1,
      err: expect.stringContaining('exists'),
    });
  });

  test("[CFG-16] [CFG-29] [CFG-30] requires the shop's key, or contains it", async () => {
    const file = at('keyless.tar.zst');
    await souk(['export', file], other.environment);
    const to = await newDataDir();
    const refused = [
      await souk(['restore', file], { DATA_DIR: to }),
      await souk(['restore', file], { DATA_DIR: to, MASTER_KEY: randomBytes(32).toString('base64url') }),
    ];
    expect(refused).toMatchObject([
      { code: 78, err: expect.stringContaining('MASTER_KEY is missing, and the backup has none') },
      { code: 78, err: expect.stringContaining('the secrets of the backup were encrypted with another key') },
    ]);
    expect(readdirSync(to), 'nothing was written').toEqual([]);
    const withKey = at('with-key.tar.zst');
    const taken = await souk(['backup', withKey, '--with-key'], other.environment);
    expect(taken.err).toContain('The file contains the master key');
    expect(await souk(['import', withKey], { DATA_DIR: to })).toMatchObject({ code: 0 });
    expect(readFileSync(join(to, 'master.key'), 'utf8').trim()).toBe(key);
    expect(statSync(join(to, 'master.key')).mode & 0o777).toBe(0o600);
  });

  test('names the table, the column and the number of secrets that do not open with its key', async () => {
    const vault = createVault(key);
    const insert = (id: string, sealedFor: string) =>
      other.db.query(
        `insert into signing_keys (id, purpose, state, sealed_key, created_at, state_since)
         values ($1, 'cookies', 'retired', $2, now(), now())`,
        [id, vault.seal({ table: 'signing_keys', row: sealedFor, userId: '' }, 'secret')],
      );
    await insert('whole', 'whole');
    await insert('moved', 'elsewhere');
    const file = at('secrets.tar.zst');
    await souk(['backup', file], other.environment);
    const environment = { DATA_DIR: await newDataDir(), MASTER_KEY: key };
    expect(await souk(['restore', file, '--check'], environment)).toMatchObject({
      code: 1,
      out: expect.stringContaining('secrets that open with this key: 1'),
      err: 'signing_keys.sealed_key: 1 of 2 secrets cannot be read with this key',
    });
  });

  test('of a newer product is refused with both versions, and a missing or foreign file is named', async () => {
    await other.db.query(
      `insert into kysely_migration (name, timestamp) values ('9999-later', '2099-01-01T00:00:00.000Z')`,
    );
    const file = at('newer.tar.zst');
    await souk(['backup', file], other.environment);
    const to = await newDataDir();
    const environment = { DATA_DIR: to, MASTER_KEY: key };
    expect(await souk(['restore', file], environment)).toMatchObject({
      code: 78,
      err: expect.stringContaining('9999-later'),
    });
    writeFileSync(at('text'), 'hello');
    expect(await souk(['restore', at('text')], environment)).toMatchObject({
      code: 1,
      err: expect.stringContaining('damaged'),
    });
    expect(await souk(['restore', at('none')], environment)).toMatchObject({
      code: 64,
      err: expect.stringContaining('exist'),
    });
    expect(existsSync(join(to, 'services'))).toBe(false);
  });
});
