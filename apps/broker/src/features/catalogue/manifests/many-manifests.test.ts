import { setTimeout as pause } from 'node:timers/promises';
import { listManifests as contract } from '@souk/contract/admin/manifests.ts';
import { sql } from 'kysely';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { createLog } from '#platform/log.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { areLimitsHeld, limitElapsed, limitTurn } from '#testing/figures/limits.ts';
import { migrations } from '../../../migrations.ts';
import { createCatalogue } from '../create-catalogue.ts';
import { createSnapshot } from '../testing/many-servers.ts';
import type { CatalogueTables } from '../tables.ts';
import { manifest } from '../testing/weather-server.ts';
import { listManifests } from './list-manifests.ts';

/** Their cost is measured with many; fewer show that a page is correct. */
const count = areLimitsHeld() ? 5_000 : 1_000;
const log = createLog('silent');
/** Waits until the last turn has ended and counts. */
const untilMeasured = () => pause(2);

describeOnDatabases('thousands of manifests of 5 KiB, each with an older version', migrations, (open) => {
  let db: Database;
  const snapshot = createSnapshot(1, []);
  beforeAll(async () => {
    db = await open();
    const costs = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [`tool_with_a_long_name_${index}`, index]),
    );
    const body = JSON.stringify(
      manifest('x', { description: 'A server. '.repeat(40), billing: { tier: 'T0', toolCosts: costs } }),
    );
    await db.query(
      `insert into servers (id, slug) select 'server-' || n, 's' || n from generate_series(1, $1::int) n`,
      [count],
    );
    // half are deployed and every fifth is staged too
    for (const [version, status, which] of [
      ['1.0.0', 'superseded', 'true'],
      ['1.1.0', 'deployed', 'n % 2 = 0'],
      ['1.2.0', 'staging', 'n % 2 = 1 or n % 5 = 0'],
    ] as const)
      // without the time limit of ordinary statements
      await sql`insert into manifest_versions (server_id, version, status, body, sha256, origin)
        select 'server-' || n, ${version}, ${status}, replace(${body}::text, '"X"', '"Server ' || n || '"')::json,
          md5(${version}), 'admin'
        from generate_series(1, ${count}::int) n where ${sql.raw(which)}`.execute(db.maintenance);
    await db.query('analyze manifest_versions');
  });

  const list = (query: object) =>
    listManifests(
      { db: db.kysely.withTables<CatalogueTables>(), snapshot, rentersOf: async () => new Map() },
      contract.query.parse(query),
    );

  test.each([
    { page: 1 },
    { page: count / 50, limit: 50 },
    { page: 1, search: `server ${count - 1}` },
    { page: 1, status: 'active' },
  ])('a page of them (%j) is there within 1 s, and blocks nothing for 50 ms', async (query) => {
    const readPage = async () => expect((await list(query)).manifests).not.toHaveLength(0);
    const read = async () => {
      await limitElapsed(1_000, readPage, { what: 'until it is there' });
      await untilMeasured();
    };
    await limitTurn(50, read, { what: 'the longest turn' });
  });

  test('reading all of them blocks nothing for 50 ms', async () => {
    await limitTurn(50, async () => {
      expect(JSON.stringify(await list({})).length).toBeGreaterThan(count * 500);
      await untilMeasured();
    });
  });

  test('the catalogue is read in turns: nothing is blocked for 50 ms, and a page does not wait for the whole read', async () => {
    const catalogue = await createCatalogue({ db, clock: systemClock, log });
    onTestFinished(() => catalogue.stop());
    expect(catalogue.snapshot().servers).toHaveLength(count / 2);
    const order: ('page' | 'catalogue')[] = [];
    const readBoth = async () => {
      order.length = 0;
      const reading = catalogue.reload().then(() => order.push('catalogue'));
      await list({ page: 1 });
      order.push('page');
      await reading;
      await untilMeasured();
    };
    await limitTurn(50, readBoth);
    // a busy PostgreSQL may answer the page late; if the page waited for the read, it would always come after it
    for (let round = 0; round < 20 && order[0] !== 'page'; round++) await readBoth();
    expect(order).toEqual(['page', 'catalogue']);
  });
});
