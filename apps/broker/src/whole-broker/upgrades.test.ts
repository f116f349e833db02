import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { listTables } from '#platform/backup/list-tables.ts';
import { checkSecrets, sayUnreadable } from '#platform/crypto/check-secrets.ts';
import { createVault } from '#platform/crypto/vault.ts';
import type { Query } from '#platform/db/database.ts';
import { migrate } from '#platform/db/migrate.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases/databases.ts';
import { fillEmptyTables } from '#testing/databases/fill-empty-tables.ts';
import { fillShop } from '#testing/databases/fill-shop.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import {
  hashesOf,
  keptReleases,
  loadReleaseShop,
  readReleaseShop,
  writeReleaseShop,
  type Engine,
} from '#testing/databases/release-shops.ts';
import { startTestApp, withoutHealthChecks } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../migrations.ts';
import { version } from '../version.ts';

/**
 * Tables in which a shop at rest has no row: they hold what brokers do at the moment, and a rotation of the master key.
 */
const ofTheMoment = ['credit_brokers', 'credit_ended_calls', 'credit_leases', 'master_keys'];
const releases = await keptReleases();

const newFolder = () => mkdtemp(join(temporaryRoot(), 'shop-'));
const placeOf = (engine: Engine, place: string) => ({
  databaseUrl: engine === 'embedded' ? undefined : place,
  dataDir: place,
  log: createLog('silent'),
  migrations,
});
const newPlace = (engine: Engine) => (engine === 'embedded' ? newFolder() : createPostgresDatabase());

async function countRows(query: Query): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of await listTables(query)) {
    const { rows } = await query<{ n: number }>(`select count(*)::int as n from ${name}`);
    counts[name.replace(/^public\./, '')] = rows[0]?.n ?? 0;
  }
  return counts;
}

/** Statements that break a broker of the previous version if it uses what they name. */
const takingAway =
  /\bdrop (?:table|view|column|function|type|default)\b|\brename (?:to|column)\b|\bset not null\b|\bset data type\b|\balter column \w+ type\b/i;

test.each(releases)('a migration released with %s is never changed', async (release) => {
  const { migrations: then } = await readReleaseShop(release, 'embedded');
  expect(hashesOf(migrations)).toMatchObject(then);
});

test.each(releases.slice(-1))(
  'a migration since %s removes nothing, or says why brokers of that version do not need it',
  async (release) => {
    const { migrations: released } = await readReleaseShop(release, 'embedded');
    const takers = migrations
      .filter(({ name }) => !(name in released))
      .filter(({ statements }) => statements.some((statement) => takingAway.test(statement)));
    expect(takers.filter(({ takesAway = '' }) => takesAway === '').map(({ name }) => name)).toEqual([]);
  },
);

const isRelease = process.env['WRITE_RELEASE_SHOP'] === '1';

describe.each([
  // one of them shows what the shop of a release would have
  ['embedded', isRelease || !hasPostgres()],
  ['postgresql', hasPostgres()],
] as const)('upgrades (%s)', (engine, isHere) => {
  // with WRITE_RELEASE_SHOP=1 it is written to e2e/upgrades, as the shop of the released version (CONTRIBUTING.md)
  test.runIf(isHere)('a used shop has a row in every table', async () => {
    const place = await newPlace(engine);
    const masterKey = randomBytes(32).toString('base64url');
    const db = await openDatabase(placeOf(engine, place));
    await migrate(db, migrations, version);
    const shop = await fillShop(db, masterKey);
    const filled = await openDatabase(placeOf(engine, place));
    await fillEmptyTables(filled, shop.userId, ofTheMoment);
    await filled.query(`update personal_tokens set expires_at = '2100-01-01'`);
    const rows = await countRows(filled.query);
    await filled.close();
    const empty = Object.keys(rows).filter((table) => rows[table] === 0);
    expect(empty.toSorted()).toEqual(ofTheMoment);
    if (isRelease)
      await writeReleaseShop(version, engine, { ...shop, masterKey, rows, migrations: hashesOf(migrations) }, place);
  });

  test.runIf(engine === 'embedded' || hasPostgres()).each(releases)(
    'a shop of Souk %s keeps its rows, its secrets and its credits, and its clients continue',
    async (release) => {
      const { masterKey, rows, token, userId, credits } = await readReleaseShop(release, engine);
      const place = await newPlace(engine);
      await loadReleaseShop(release, engine, place);
      const db = await openDatabase(placeOf(engine, place));
      expect(await countRows(db.query)).toEqual(rows);
      await migrate(db, migrations, version);
      const after = await countRows(db.query);
      // what was applied is a row as well
      const isKept = (table: string) => table in after && table !== 'migration_versions';
      expect(after).toMatchObject(Object.fromEntries(Object.entries(rows).filter(([table]) => isKept(table))));
      expect(sayUnreadable(await checkSecrets(db.query, createVault(masterKey)))).toEqual([]);
      expect(await checkLedger(db)).toEqual([]);
      const app = await startTestApp({ db, env: { ...withoutHealthChecks, MASTER_KEY: masterKey } });
      const client = await connectModern(`${app.publicUrl}/mcp`, token);
      const called = await client.callTool({ name: 'travel__distance', arguments: { from: 'LHR', to: 'JFK' } });
      expect(called.isError, JSON.stringify(called)).toBeFalsy();
      await waitUntil('the charge', async () => {
        const { rows: accounts } = await db.query<{ balance: number }>(
          'select balance::int from credit_accounts where user_id = $1 and not livemode',
          [userId],
        );
        return accounts[0]?.balance === credits - 1;
      });
      await client.close();
      await app.stop();
    },
  );
});
