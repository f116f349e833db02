import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { unheardText } from '#platform/db/postgres/hearing.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { elapsed } from '#testing/figures/elapsed.ts';
import { limitFigure } from '#testing/figures/limits.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { openStream } from '#testing/people/open-stream.ts';
import { hasPgBouncer, startPgBouncer } from '#testing/databases/pgbouncer.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../migrations.ts';

// PgBouncer in transaction mode accepts LISTEN, and never delivers a notice.

const canRun = hasPostgres() && hasPgBouncer();
if (!canRun)
  process.stdout.write('SKIPPED: brokers behind PgBouncer, since pgbouncer or PostgreSQL is not installed\n');

describe.skipIf(!canRun)('two brokers behind PgBouncer', () => {
  let fixture: HttpFixture;
  let bouncer: Awaited<ReturnType<typeof startPgBouncer>>;
  let databaseUrl: string;
  const started: TestApp[] = [];
  beforeAll(async () => {
    [fixture, databaseUrl] = await Promise.all([startHttpFixture('modern'), createPostgresDatabase()]);
    bouncer = await startPgBouncer(databaseUrl);
  });
  afterEach(() => Promise.all(started.splice(0).map((app) => app.stop())));
  afterAll(async () => {
    await bouncer?.stop();
    await fixture?.close();
  });

  const masterKey = randomBytes(32).toString('base64url');
  async function start(listenUrl?: string): Promise<TestApp> {
    const log = createLog('fatal');
    const db = await openDatabase({ databaseUrl: bouncer.url, listenUrl, dataDir: '', log, migrations });
    const app = await startTestApp({ db, allowAddresses: [fixture.address], env: { MASTER_KEY: masterKey } });
    started.push(app);
    return app;
  }
  const readyz = async (app: TestApp): Promise<unknown> => (await fetch(`${app.publicUrl}/readyz`)).json();
  /** Waits until a change at one broker is seen at the other, and limits the time this takes. */
  async function seenWithin(boundMs: number, change: () => Promise<void>, isSeen: () => boolean): Promise<void> {
    await change();
    const { ms } = await elapsed(() => waitUntil('the change to be seen', isSeen));
    await limitFigure(boundMs, 'ms', () => ms);
  }

  test('without notices each broker says so, and caches nothing for longer than 5 s', async () => {
    const [one, other] = [await start(), await start()];
    for (const app of [one, other]) {
      await waitUntil('it to be reported', async () =>
        JSON.stringify(await readyz(app)).includes('DATABASE_LISTEN_URL'),
      );
      expect(await readyz(app)).toEqual({ status: 'ready', warnings: [unheardText] });
    }
    const created = await one.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
    const listen = { notifications: { toolsListChanged: true } };
    const request = modernRequest(created.token, 'subscriptions/listen', listen);
    const stream = await openStream(`${other.publicUrl}/mcp`, request);
    const manifest = { id: 'shelf', connection: { type: 'http', url: fixture.url } };
    const isThere = () => other.catalogue.snapshot().byId.has('shelf');
    await seenWithin(5_500, () => deployManifest(one, manifest, 'unasked'), isThere);
    expect(stream.isOver(), 'its token is valid').toBe(false);
    const revoke = async () => {
      const [{ user_id: userId } = {}] = (
        await one.db.query<{ user_id: string }>('select user_id from personal_tokens where id = $1', [created.id])
      ).rows;
      await one.db.query('update personal_tokens set revoked_at = now() where user_id = $1', [userId]);
    };
    await seenWithin(5_500, revoke, stream.isOver);
  });

  test('with an address for notices that bypasses the pooler they arrive immediately', async () => {
    const [one, other] = [await start(databaseUrl), await start(databaseUrl)];
    // longer than it takes to find out that none come
    await waitUntil('a heartbeat', () => Number.isFinite(other.db.deliveredUntilMs()));
    const heardMs = other.db.deliveredUntilMs();
    await waitUntil('further ones', () => other.db.deliveredUntilMs() > heardMs + 4_000);
    // on a busy machine one may be late
    await waitUntil('nothing to be wrong', async () => JSON.stringify(await readyz(other)) === '{"status":"ready"}');
    const manifest = { id: 'desk', connection: { type: 'http', url: fixture.url } };
    const isThere = () => other.catalogue.snapshot().byId.has('desk');
    await seenWithin(1_500, () => deployManifest(one, manifest, 'unasked'), isThere);
    expect(isThere()).toBe(true);
  });

  test('no setting of the connection for notices affects other statements', async () => {
    const [name] = new URL(databaseUrl).pathname.slice(1).split('?');
    const direct = new Client({ connectionString: databaseUrl });
    await direct.connect();
    // as on a real server
    await direct.query(`alter database "${name}" set synchronous_commit = on`);
    const fresh = await startPgBouncer(databaseUrl);
    const log = createLog('fatal');
    const db = await openDatabase({ databaseUrl: fresh.url, dataDir: '', log });
    try {
      await db.listen('any', () => {});
      await waitUntil(
        'a heartbeat',
        async () =>
          (
            await direct.query(
              `select from pg_stat_activity where datname = current_database() and query like '%pg_notify%' and pid <> pg_backend_pid()`,
            )
          ).rows.length > 0,
      );
      // more concurrent statements than connections, so that each connection is used
      const settings = Array.from({ length: 15 }, () =>
        db.query<{ it: string }>(`select current_setting('synchronous_commit') as it, pg_sleep(0.2)`),
      );
      const seen = (await Promise.all(settings)).map(({ rows }) => rows[0]?.it);
      expect(new Set(seen)).toEqual(new Set(['on']));
    } finally {
      await db.close();
      await fresh.stop();
      await direct.end();
    }
  });
});
