import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appliedNames } from '#platform/db/product-versions.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases.ts';
import { keptReleases, loadReleaseShop, readReleaseShop, type Engine } from '#testing/release-shops.ts';
import { migrations } from '../../migrations.ts';
import { version } from '../../version.ts';
import { runSouk } from './testing/run-souk.ts';

test.skipIf(!hasPostgres())(
  'souk upgrade --check upgrades a copy, counts and checks it, drops it, and leaves the database as it was; a newer database is refused with both versions',
  async () => {
    const waiting = '0252-platform-backups';
    const databaseUrl = await createPostgresDatabase(migrations.filter(({ name }) => name !== waiting));
    const dataDir = mkdtempSync(join(temporaryRoot(), 'upgrade-'));
    const environment = {
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      MASTER_KEY: randomBytes(32).toString('base64url'),
    };
    const check = () => runSouk(['upgrade', '--check'], { environment });
    const db = await openDatabase({ databaseUrl, dataDir, log: createLog('silent') });
    try {
      await db.query(`insert into audit_log (at, action, subject) values (now(), 'test.row', 'x')`);
      const { code, out, err } = await check();
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain(`Migrations of Souk ${version} that wait: 1\n  ${waiting}\n`);
      expect(out).toMatch(/A copy of \d+ rows was filled and upgraded in \d+\.\d s/);
      expect(out).toContain('0 secrets open with this key');
      expect((await appliedNames(db)).has(waiting), 'the database is as it was').toBe(false);
      const { rows } = await db.query(`select datname from pg_database where datname like 'souk\\_upgrade\\_check%'`);
      expect(rows, 'the copy is gone').toEqual([]);

      await db.query(
        `insert into kysely_migration (name, timestamp) values ('9999-later', '2099-01-01T00:00:00.000Z')`,
      );
      await db.query(`insert into migration_versions (name, version) values ('9999-later', '9.9.9')`);
      const newer = await check();
      expect(newer.code).toBe(78);
      expect(newer.err).toContain('version 9.9.9');
      expect(newer.err).toContain(`this is version ${version}`);
      expect(await runSouk(['upgrade'], { environment })).toMatchObject({ code: 64 });
    } finally {
      await db.close();
    }
  },
);

const engines: Engine[] = ['embedded', ...(hasPostgres() ? (['postgresql'] as const) : [])];

test.each(engines)(
  'souk upgrade --check of a shop that a release left (%s): what waits, its secrets, nothing changed',
  async (engine) => {
    const dataDir = mkdtempSync(join(temporaryRoot(), 'upgrade-'));
    const place = engine === 'embedded' ? dataDir : await createPostgresDatabase();
    const [release = ''] = await keptReleases();
    await loadReleaseShop(release, engine, place);
    const { masterKey, rows, migrations: applied } = await readReleaseShop(release, engine);
    const databaseUrl = engine === 'embedded' ? undefined : place;
    const environment = {
      DATA_DIR: dataDir,
      MASTER_KEY: masterKey,
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    };
    const { code, out, err } = await runSouk(['upgrade', '--check'], { environment });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const waiting = migrations.map(({ name }) => name).filter((name) => !(name in applied));
    expect(waiting.length).toBeGreaterThan(0);
    expect(out).toContain([`Migrations of Souk ${version} that wait: ${waiting.length}`, ...waiting].join('\n  '));
    const counted = Object.values(rows).reduce((sum, count) => sum + count, 0);
    expect(out).toContain(`A copy of ${counted} rows was filled and upgraded in `);
    expect(Number(/(\d+) secrets open with this key/.exec(out)?.[1])).toBeGreaterThan(3);
    const db = await openDatabase({ databaseUrl, dataDir, log: createLog('silent') });
    expect(Object.keys(applied).toSorted()).toEqual([...(await appliedNames(db))].toSorted());
    await db.close();
  },
);
