import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { createClient } from '@souk/contract/client.ts';
import { getUserProfile } from '@souk/contract/identity.ts';
import { extract, pack, type Header } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLedger, readLedgerSums } from '#features/billing/index.ts';
import { ArchiveDamagedError, endName } from '#platform/backup/archive-format.ts';
import { listTables } from '#platform/backup/list-tables.ts';
import { readHeader, verifyArchive } from '#platform/backup/read-archive.ts';
import { restoreDatabase, restoreFolders } from '#platform/backup/restore-backup.ts';
import { takeBackup } from '#platform/backup/take-backup.ts';
import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases/databases.ts';
import { startTestApp } from '#testing/start-app.ts';
import { settle, startShop, type Shop } from '../features/billing/shop/checkout/testing/shop.ts';
import { newSubscriber, type Subscriber } from '../features/billing/shop/subscriptions/testing/subscriber.ts';
import { migrations } from '../migrations.ts';
import { version } from '../version.ts';

const log = createLog('silent');
const masterKey = randomBytes(32).toString('base64url');
const given = { migrations, version, ledgerSums: readLedgerSums };
let folder: string;
let shop: Shop;
let ann: Subscriber;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'backup-'));
  file = join(folder, 'souk.tar.zst');
  shop = await startShop({ env: { MASTER_KEY: masterKey } });
  ann = await newSubscriber(shop);
  await ann.subscribe('basic');
  await ann.buyCredits();
  await settle(shop);
  await shop.db.query(
    `insert into audit_log (at, actor_id, action, subject, details) values (now(), null, 'test.odd', $1, $2)`,
    ['a\tb\nc\\N\r\\', JSON.stringify({ text: 'ü\u2028"\\n' })],
  );
  const files = join(shop.dataDir, 'files', 'notes');
  await mkdir(files, { recursive: true });
  await writeFile(join(files, 'a.txt'), 'kept', { mode: 0o640 });
  await writeFile(join(files, 'empty'), '');
  await symlink('a.txt', join(files, 'link'));
  await symlink('/etc/passwd', join(files, 'outward'));
  const parts = { ...given, db: shop.db, dataDir: shop.dataDir, masterKey, withKey: false, clock: systemClock };
  await takeBackup(file, parts);
});
afterAll(() => shop?.stop().catch(() => {}));

const newDataDir = () => mkdtemp(join(folder, 'data-'));
const openEmbedded = (dataDir: string) => openDatabase({ databaseUrl: undefined, dataDir, log });

/** Returns every table by name, with its number of rows and a digest of all of them. Independent of the tested code. */
function digests(db: Database): Promise<Record<string, string>> {
  return db.snapshot(async (query) => {
    const found: Record<string, string> = {};
    for (const { name } of await listTables(query)) {
      // the broker that runs on the source sends a heartbeat there every few seconds
      if (name === 'public.credit_brokers') continue;
      const { rows } = await query<{ digest: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text collate "C")), '') as digest from ${name} t`,
      );
      found[name] = rows[0]?.digest ?? '';
    }
    return found;
  });
}

/**
 * Repacks the archive as another program would: complete, except for what `change` changes; undefined leaves an entry
 * out.
 */
async function repacked(name: string, change: (entry: string, text: string) => string | undefined): Promise<string> {
  const [tar, path] = [pack(), join(folder, name)];
  const source = extract();
  const written = pipeline(tar, createZstdCompress(), createWriteStream(path));
  pipeline(createReadStream(file), createZstdDecompress(), source).catch(() => {});
  for await (const entry of source) {
    const { header } = entry as unknown as { header: Header };
    const text = change(header.name, (await buffer(entry)).toString());
    if (text !== undefined && header.type === 'file') tar.entry({ name: header.name }, text);
  }
  tar.finalize();
  await written;
  return path;
}

async function restoreInto(db: Database, from = file): Promise<void> {
  await verifyArchive(from);
  await restoreDatabase(from, await readHeader(from), { ...given, db });
}

// the last test stops the shop
describe('a backup', { shuffle: false }, () => {
  test('is not restored over existing data, and restores the folders with their links', async () => {
    await expect(restoreInto(shop.db)).rejects.toThrow('the database is not empty');
    const dataDir = await newDataDir();
    const header = await readHeader(file);
    await restoreFolders(file, header, dataDir);
    expect(await readFile(join(dataDir, 'files/notes/a.txt'), 'utf8')).toBe('kept');
    expect((await stat(join(dataDir, 'files/notes/a.txt'))).mode & 0o777).toBe(0o640);
    expect((await stat(join(dataDir, 'files/notes/empty'))).size).toBe(0);
    expect(await readlink(join(dataDir, 'files/notes/link'))).toBe('a.txt');
    expect(await readdir(join(dataDir, 'files/notes')), 'no link that leaves its folder').not.toContain('outward');
    await expect(restoreFolders(file, header, dataDir)).rejects.toThrow(/files exists/);
  });

  test('that is damaged, changed, or of another kind is refused, and the place is named', async () => {
    const bytes = readFileSync(file);
    const with_ = async (name: string, changed: Buffer) => {
      const path = join(folder, name);
      await writeFile(path, changed);
      return path;
    };
    const torn = await with_('torn', bytes.subarray(0, bytes.length - 2_000));
    await expect(verifyArchive(torn)).rejects.toThrow(ArchiveDamagedError);
    await expect(verifyArchive(torn)).rejects.toThrow(/in the (table|entry) .* byte \d+/);
    const flipped = Buffer.from(bytes);
    const middle = Math.floor(bytes.length / 2);
    flipped[middle] = (flipped[middle] ?? 0) ^ 0xff;
    await expect(verifyArchive(await with_('flipped', flipped))).rejects.toThrow(ArchiveDamagedError);
    await expect(verifyArchive(await with_('text', Buffer.from('hello')))).rejects.toThrow(ArchiveDamagedError);
    await expect(verifyArchive(join(folder, 'none'))).rejects.toThrow(/ENOENT/);
    const edited = await repacked('edited', (name, text) =>
      name.startsWith('tables/public.plans') ? text.replace('Basic', 'Basis') : text,
    );
    await expect(verifyArchive(edited)).rejects.toThrow(
      /^the table public\.plans \(tables\/public\.plans\.00001\) was changed since the backup: between byte \d+ and \d+/,
    );
    const short = await repacked('short', (name, text) => (name === endName ? undefined : text));
    await expect(verifyArchive(short)).rejects.toThrow(
      'the archive is incomplete: it ends in the entry folders/files/',
    );
  });

  test.skipIf(!hasPostgres())(
    'transfers every row to the other database and back, and the product continues there',
    async () => {
      const source = await digests(shop.db);
      expect(source['public.ledger_entries']).toMatch(/^[1-9]/);
      const there = await openDatabase({ databaseUrl: await createPostgresDatabase(), dataDir: folder, log });
      try {
        await restoreInto(there);
        expect(await digests(there)).toEqual(source);
        expect(await checkLedger(there)).toEqual([]);
        const second = join(folder, 'second.tar.zst');
        await takeBackup(second, {
          ...given,
          db: there,
          dataDir: folder,
          masterKey,
          withKey: false,
          clock: systemClock,
        });
        const back = await openEmbedded(await newDataDir());
        await restoreInto(back, second);
        expect(await digests(back)).toEqual(source);
        // tokens belong to the address where they were issued
        await shop.stop();
        const app = await startTestApp({
          db: back,
          env: { MASTER_KEY: masterKey, PORT: new URL(shop.publicUrl).port },
        });
        try {
          const token = async () => ann.accessToken;
          const api = createClient([getUserProfile] as const, { baseUrl: app.publicUrl, fetch, token });
          expect(await api.getUserProfile(), 'the old session').toMatchObject({ id: ann.userId, planId: 'basic' });
        } finally {
          await app.stop();
        }
      } finally {
        await there.close();
      }
    },
  );
});
