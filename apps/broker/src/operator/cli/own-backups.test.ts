import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deleteMyAccount } from '@souk/contract/account.ts';
import { adminSystemEndpoints } from '@souk/contract/admin/system.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLedgerSums } from '#features/billing/index.ts';
import { createOwnBackups, readOwnBackup } from '#platform/backup/own-backups.ts';
import { takeBackup } from '#platform/backup/take-backup.ts';
import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createPostgresDatabase, hasPostgres, openTestDatabase, temporaryRoot } from '#testing/databases/databases.ts';
import { freePort } from '#testing/network/free-port.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../migrations.ts';
import { version } from '../../version.ts';
import { runSouk } from './testing/run-souk.ts';

const log = createLog('silent');
const masterKey = randomBytes(32).toString('base64url');
const newFolder = (name: string) => mkdtempSync(join(temporaryRoot(), `${name}-`));
const folder = newFolder('backups');
let db: Database;
let app: TestApp;
let metricsPort: number;
const write = async (file: string) => {
  const parts = { db, dataDir: folder, masterKey, withKey: false, version, ledgerSums: readLedgerSums };
  await takeBackup(file, { ...parts, clock: systemClock });
};
beforeAll(async () => {
  db = await openTestDatabase(migrations);
  metricsPort = await freePort();
  const env = { ...withoutHealthChecks, MASTER_KEY: masterKey, BACKUP_DIR: folder, METRICS_PORT: String(metricsPort) };
  app = await startTestApp({ db, env, writeBackup: write });
});
afterAll(() => app?.stop());

const ownNames = (of: string) => readdirSync(of).filter((name) => /^souk-.*\.tar\.zst$/.test(name));
const signIn = (email: string) => new ScriptedBrowser(app.publicUrl).signInWeb({ email });

// in this order: the database stores only the last backup
describe('automatic backups', { shuffle: false }, () => {
  test('a shop with BACKUP_DIR backs itself up at the start, and System, souk_backup_age_seconds and the log say so', async () => {
    const admin = await signIn('admin@souk.test');
    const api = createClient(adminSystemEndpoints, {
      baseUrl: app.publicUrl,
      fetch,
      token: async () => admin.accessToken,
    });
    await waitUntil('a backup', async () => (await readOwnBackup(db.query)).last !== undefined);
    const [name = ''] = ownNames(folder);
    expect(name).toMatch(/^souk-\d{8}T\d{6}Z\.tar\.zst$/);
    const { backup } = (await api.getSystem()).system;
    expect(backup).toMatchObject({ folder, everySeconds: 86_400, keep: 14, failure: null });
    expect(backup?.last).toMatchObject({ file: join(folder, name), bytes: readFileSync(join(folder, name)).length });
    const nextMs = Date.parse(backup?.nextAt ?? '') - Date.parse(backup?.last?.at ?? '');
    expect(nextMs / 86_400_000).toBeCloseTo(1, 2);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const [, age = ''] = /^souk_backup_age_seconds (\S+)$/m.exec(metrics) ?? [];
    expect(Number(age)).toBeGreaterThanOrEqual(0);
    expect(Number(age)).toBeLessThan(600);
    expect(app.logged()).toContain('a backup was written');
  });

  test('old backups are deleted only after a new one is complete, a full disk is reported and keeps them all, and the partial file of a killed one is deleted', async () => {
    const own = newFolder('kept');
    let nowMs = Date.UTC(2030, 0, 1);
    const fails = { now: false };
    const backups = createOwnBackups({
      query: db.query,
      folder: own,
      keep: 2,
      clock: { now: () => nowMs },
      log,
      async write(file) {
        if (fails.now) throw new Error('ENOSPC: no space left on device, write');
        writeFileSync(file, 'whole');
      },
    });
    const run = async () => {
      nowMs += 86_400_000;
      await backups.run();
    };
    writeFileSync(join(own, 'notes.txt'), 'of the operator');
    const draft = join(own, 'souk-20291231T000000Z.tar.zst.77.part');
    writeFileSync(draft, '');
    utimesSync(draft, new Date(0), new Date(0));
    await run();
    await run();
    await run();
    const kept = ['souk-20300103T000000Z.tar.zst', 'souk-20300104T000000Z.tar.zst'];
    expect(readdirSync(own).toSorted()).toEqual(['notes.txt', ...kept]);
    fails.now = true;
    await expect(run()).rejects.toThrow(`the disk of ${own} is full`);
    expect(ownNames(own)).toEqual(kept);
    const { last, failure } = await readOwnBackup(db.query);
    expect(last?.file).toBe(join(own, 'souk-20300104T000000Z.tar.zst'));
    expect(failure).toMatchObject({
      at: new Date(nowMs),
      message: expect.stringMatching(/free some space; existing backups/),
    });
  });
});

test('an account that is deleted after a backup is deleted again when the backup is restored', async () => {
  const { accessToken } = await signIn('gone@souk.test');
  const { rows } = await db.query<{ id: string }>(`select id from users where email = 'gone@souk.test'`);
  const userId = rows[0]?.id ?? '';
  const archive = join(folder, 'before.tar.zst');
  await write(archive);
  const api = createClient([deleteMyAccount] as const, {
    baseUrl: app.publicUrl,
    fetch,
    token: async () => accessToken,
  });
  await api.deleteMyAccount({ params: { userId }, body: { confirm: 'gone@souk.test' } });
  const lines = readFileSync(join(folder, 'erased.jsonl'), 'utf8').trim().split('\n');
  expect(lines.map((line) => Object.keys(JSON.parse(line)))).toEqual([['userId', 'at']]);
  expect(lines[0]).toContain(userId);

  const dataDir = newFolder('restored');
  // opening an embedded one twice takes seconds
  const databaseUrl = hasPostgres() ? await createPostgresDatabase() : undefined;
  const environment = { DATA_DIR: dataDir, MASTER_KEY: masterKey, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
  const restored = await runSouk(['restore', archive], { environment });
  expect(restored).toMatchObject({ code: 0, out: expect.stringContaining('will be deleted again at the start: 1') });
  const again = await openDatabase({ databaseUrl, dataDir, log });
  const state = async () =>
    (
      await again.query('select is_active, deleted_at is not null as is_deleted, email from users where id = $1', [
        userId,
      ])
    ).rows;
  expect(await state()).toMatchObject([{ is_active: false, is_deleted: false }]);
  const second = await startTestApp({ db: again, env: { ...withoutHealthChecks, MASTER_KEY: masterKey } });
  try {
    expect(await state()).toMatchObject([{ is_active: false, is_deleted: true }]);
    expect(JSON.stringify(await state())).not.toContain('gone@souk.test');
    expect((await again.query('select from erasures_to_repeat')).rows).toEqual([]);
  } finally {
    await second.stop();
  }
});
