import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appliedNames } from '#platform/db/product-versions.ts';
import { migrate } from '#platform/db/migrate.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases.ts';
import { fillShop } from '#testing/fill-shop.ts';
import { migrations } from '../../migrations.ts';
import { version } from '../../version.ts';
import { runSouk } from './testing/run-souk.ts';

const engines = ['embedded', ...(hasPostgres() ? ['postgresql'] : [])];

test.each(engines)(
  'souk upgrade --check upgrades a copy, counts and checks it, drops it, and leaves the database as it was; a newer database is refused with both versions (%s)',
  async (engine) => {
    const dataDir = mkdtempSync(join(temporaryRoot(), 'upgrade-'));
    const databaseUrl = engine === 'embedded' ? undefined : await createPostgresDatabase();
    const masterKey = randomBytes(32).toString('base64url');
    const open = () => openDatabase({ databaseUrl, dataDir, log: createLog('silent'), migrations });
    const filled = await open();
    await migrate(filled, migrations, version);
    await fillShop(filled, masterKey);
    // as before the release that brought this migration
    const waiting = '0004-platform-backups';
    const before = await open();
    await before.query('drop table erasures_to_repeat');
    await before.query('drop table own_backups');
    await before.query('delete from kysely_migration where name = $1', [waiting]);
    await before.query('delete from migration_versions where name = $1', [waiting]);
    await before.close();

    const environment = {
      DATA_DIR: dataDir,
      MASTER_KEY: masterKey,
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    };
    const check = () => runSouk(['upgrade', '--check'], { environment });
    const { code, out, err } = await check();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`Migrations of Souk ${version} that wait: 1\n  ${waiting}\n`);
    expect(out).toMatch(/A copy of \d{3,} rows was filled and upgraded in \d+\.\d s/);
    expect(Number(/(\d+) secrets open with this key/.exec(out)?.[1])).toBeGreaterThan(3);

    const db = await open();
    expect((await appliedNames(db)).has(waiting), 'the database is as it was').toBe(false);
    const { rows } = await db.query(`select datname from pg_database where datname like 'souk\\_upgrade\\_check%'`);
    expect(rows, 'the copy is gone').toEqual([]);
    await db.query(`insert into kysely_migration (name, timestamp) values ('9999-later', '2099-01-01T00:00:00.000Z')`);
    await db.query(`insert into migration_versions (name, version) values ('9999-later', '9.9.9')`);
    await db.close();
    const newer = await check();
    expect(newer.code).toBe(78);
    expect(newer.err).toContain('version 9.9.9');
    expect(newer.err).toContain(`this is version ${version}`);
    expect(await runSouk(['upgrade'], { environment })).toMatchObject({ code: 64 });
  },
);
