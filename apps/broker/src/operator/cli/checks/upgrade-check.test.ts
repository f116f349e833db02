import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createVault } from '#platform/crypto/vault.ts';
import { migrate } from '#platform/db/migrate.ts';
import { appliedNames } from '#platform/db/product-versions.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases/databases.ts';
import { migrations } from '../../../migrations.ts';
import { version } from '../../../version.ts';
import { runSouk } from '../testing/run-souk.ts';

const newest = '0004-platform-backups';

/**
 * A shop with a secret: on PostgreSQL, of a version that lacked one migration. An embedded copy of such a shop would
 * need a database of its migrations, which takes ten seconds to create.
 */
async function leaveShop(engine: 'embedded' | 'PostgreSQL') {
  const dataDir = mkdtempSync(join(temporaryRoot(), 'upgrade-'));
  const databaseUrl = engine === 'embedded' ? undefined : await createPostgresDatabase(migrations);
  const open = () => openDatabase({ databaseUrl, dataDir, log: createLog('silent'), migrations });
  const db = await open();
  await migrate(db, migrations, version);
  if (engine === 'PostgreSQL') {
    await db.query('drop table erasures_to_repeat, own_backups');
    for (const table of ['kysely_migration', 'migration_versions'])
      await db.query(`delete from ${table} where name = $1`, [newest]);
  }
  const masterKey = randomBytes(32).toString('base64url');
  const place = { table: 'kept_keys', row: 'a purpose', userId: '' };
  const sealed = createVault(masterKey).seal(place, 'a secret');
  await db.query('insert into kept_keys (purpose, sealed) values ($1, $2)', [place.row, sealed]);
  await db.close();
  const environment = {
    DATA_DIR: dataDir,
    MASTER_KEY: masterKey,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  };
  return { open, environment };
}

test.each(['embedded', ...(hasPostgres() ? (['PostgreSQL'] as const) : [])] as const)(
  'souk upgrade --check upgrades a copy, counts and checks it, drops it, and leaves the database unchanged (%s)',
  async (engine) => {
    const { open, environment } = await leaveShop(engine);
    const waiting = engine === 'PostgreSQL' ? [newest] : [];
    const { code, out, err } = await runSouk(['upgrade', '--check'], { environment });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`Pending migrations of Souk ${version}: ${[waiting.length, ...waiting].join('\n  ')}\n`);
    expect(out).toMatch(/A copy of \d+ rows was filled and upgraded in \d+\.\d s/);
    expect(out).toContain('1 secrets open with this key');
    const db = await open();
    try {
      expect((await appliedNames(db)).has(newest), 'the database is unchanged').toBe(waiting.length === 0);
      const { rows } = await db.query(`select datname from pg_database where datname like 'souk\\_upgrade\\_check%'`);
      expect(rows, 'the copy has been dropped').toEqual([]);
    } finally {
      await db.close();
    }
  },
);

test.skipIf(!hasPostgres())('souk upgrade --check refuses a newer database with both versions', async () => {
  const { open, environment } = await leaveShop('PostgreSQL');
  const db = await open();
  await db.query(`insert into kysely_migration (name, timestamp) values ('9999-later', '2099-01-01T00:00:00.000Z')`);
  await db.query(`insert into migration_versions (name, version) values ('9999-later', '9.9.9')`);
  await db.close();
  const newer = await runSouk(['upgrade', '--check'], { environment });
  expect(newer.code).toBe(78);
  expect(newer.err).toContain('version 9.9.9');
  expect(newer.err).toContain(`this is version ${version}`);
  expect(await runSouk(['upgrade'], { environment })).toMatchObject({ code: 64 });
});
