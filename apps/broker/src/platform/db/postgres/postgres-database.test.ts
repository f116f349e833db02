import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { limitElapsed } from '#testing/figures/limits.ts';
import { startTcpProxy, type TcpProxy } from '#testing/network/tcp-proxy.ts';
import { waitUntil } from '#testing/wait-until.ts';
import type { Database } from '../database.ts';
import { isDatabaseLost } from '../database-errors.ts';
import { openDatabase } from '../open-database.ts';

const log = pino({ level: 'silent' });

/** Whether a statement failed because the database is lost. */
async function attempt(work: () => Promise<unknown>): Promise<{ lost: boolean }> {
  const error = await work().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { lost: isDatabaseLost(error) };
}

describe.skipIf(!hasPostgres())('PostgreSQL that becomes unreachable and comes back', () => {
  let proxy: TcpProxy;
  let db: Database;
  let url: URL;

  beforeEach(async () => {
    url = new URL(await createPostgresDatabase());
    proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    db = await openDatabase({ databaseUrl: url.href, dataDir: '', log });
  });
  afterEach(async () => {
    await db.close();
    await proxy.close();
  });

  const works = async () => (await db.query('select 1 as one')).rows.length === 1;
  const workAgain = () => waitUntil('the database is back', () => works().catch(() => false));
  const everyWay = () => [
    attempt(() => db.query('select 1')),
    attempt(() => db.transaction((query) => query('select 1'))),
    attempt(() => db.kysely.withTables<{ t: { n: number } }>().selectFrom('t').select('n').execute()),
  ];

  const promisedMs = 2000;
  const allAreLost = async () => {
    for (const { lost } of await Promise.all(everyWay())) expect(lost).toBe(true);
  };

  test('stopped: a statement is refused within 2 s as lost, and works again after the return', async () => {
    await Promise.all([works(), works(), works()]);
    await proxy.stop();
    await limitElapsed(promisedMs, allAreLost);
    await proxy.resume();
    await workAgain();
    expect(await works()).toBe(true);
  });

  test('silent: a statement fails within 2 s, and its connection is not used again', async () => {
    await Promise.all([works(), works(), works()]);
    proxy.freeze();
    await limitElapsed(promisedMs, allAreLost);
    await proxy.resume();
    await workAgain();
    expect(await Promise.all(Array.from({ length: 10 }, works))).toEqual(Array.from({ length: 10 }, () => true));
  });

  test('a transaction that loses its connection changes nothing', async () => {
    await db.query('create table t (n int)');
    const outcome = attempt(() =>
      db.transaction(async (query) => {
        await query('insert into t values (1)');
        proxy.cut();
        await query('insert into t values (2)');
      }),
    );
    expect(await outcome).toMatchObject({ lost: true });
    await workAgain();
    expect((await db.query('select * from t')).rows).toEqual([]);
  });

  test('connections that break while idle affect nothing else', async () => {
    await Promise.all([works(), works(), works()]);
    proxy.cut();
    await workAgain();
    expect(await works()).toBe(true);
  });

  test('after a loss, listeners are called with an empty payload and receive notifications again', async () => {
    const heard: string[] = [];
    await db.listen('servers', (payload) => heard.push(payload));
    await db.notify('servers', 'before');
    await waitUntil('received', () => heard.length === 1);
    proxy.cut();
    await waitUntil('notified of the gap', () => heard.length === 2);
    await waitUntil('sent', () =>
      db.notify('servers', 'after').then(
        () => true,
        () => false,
      ),
    );
    await waitUntil('received again', () => heard.includes('after'));
    expect(heard.slice(0, 2)).toEqual(['before', '']);
  });

  test('the time up to which no notice was missed is known, and a connection that died silently is reopened', async () => {
    const heard: string[] = [];
    expect(db.deliveredUntilMs()).toBe(Number.NEGATIVE_INFINITY);
    await db.listen('servers', (payload) => heard.push(payload));
    await waitUntil('the first heartbeat', () => db.deliveredUntilMs() > 0);
    await db.notify('servers', 'before');
    await waitUntil('the notice', () => heard.length === 1);
    const untilThen = db.deliveredUntilMs();
    await waitUntil('the next heartbeat', () => db.deliveredUntilMs() > untilThen);
    proxy.freeze();
    // each fails after 1.8 s: notices in flight have arrived by then, and two take longer than the interval between
    // heartbeats
    const giveUp = async () => expect(await attempt(() => db.query('select 1'))).toEqual({ lost: true });
    await giveUp();
    const frozen = db.deliveredUntilMs();
    await giveUp();
    await giveUp();
    expect(db.deliveredUntilMs()).toBe(frozen);
    await proxy.resume(); // for new connections
    await waitUntil('told of the gap', () => heard.length === 2);
    await waitUntil('a heartbeat of the new one', () => db.deliveredUntilMs() > frozen);
    expect(heard).toEqual(['before', '']);
  });

  test('a server that is down is an error at the start, as lost', async () => {
    await proxy.stop();
    const start = attempt(() => openDatabase({ databaseUrl: url.href, dataDir: '', log }));
    expect(await start).toMatchObject({ lost: true });
    await proxy.resume();
  });

  test('an invalid statement is not a lost database', async () => {
    expect(await attempt(() => db.query('select nonsense'))).toMatchObject({ lost: false });
  });
});
