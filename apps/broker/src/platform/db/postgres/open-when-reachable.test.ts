import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { freePort } from '#testing/network/free-port.ts';
import { startTcpProxy } from '#testing/network/tcp-proxy.ts';
import { openDatabase } from '../open-database.ts';
import { addressOf, DatabaseAwayError, openWhenReachable } from './open-when-reachable.ts';

const log = pino({ level: 'silent' });

test('a database that stays down is named with host and port, never with the password', async () => {
  const port = await freePort();
  const databaseUrl = `postgresql://souk:very-secret@127.0.0.1:${port}/souk`;
  const said: string[] = [];
  const error: unknown = await openWhenReachable(() => openDatabase({ databaseUrl, dataDir: '', log }), {
    databaseUrl,
    onAway: (address, reason) => said.push(`${address} ${reason}`),
    waitMs: 50,
    pauseMs: 10,
  }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DatabaseAwayError);
  expect(String(error)).toContain(
    `the database at 127.0.0.1:${port} could not be reached within 0.05 s (ECONNREFUSED)`,
  );
  expect(String(error)).not.toContain('very-secret');
  expect(said).toEqual([`127.0.0.1:${port} ECONNREFUSED`]);
});

test.each([
  ['postgres://a:b@db.example/souk', 'db.example:5432'],
  ['postgresql://a:b@[::1]:6000/souk', '[::1]:6000'],
  ['postgresql:///souk?host=/run/postgresql', '/run/postgresql:5432'],
])('the address of %s is %s', (databaseUrl, address) => {
  expect(addressOf(databaseUrl)).toBe(address);
});

describe.skipIf(!hasPostgres())('with PostgreSQL', () => {
  test('a database that comes up later is opened; a refusal is not retried', async () => {
    const url = new URL(await createPostgresDatabase());
    const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    await proxy.stop();
    const open = (databaseUrl: string, onAway: () => void) =>
      openWhenReachable(() => openDatabase({ databaseUrl, dataDir: '', log }), { databaseUrl, onAway, pauseMs: 10 });
    const db = await open(url.href, () => void proxy.resume());
    expect((await db.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await db.close();
    url.pathname = '/no_such_database';
    const asked: string[] = [];
    await expect(open(url.href, () => asked.push('again'))).rejects.toMatchObject({ code: '3D000' });
    expect(asked).toEqual([]);
    await proxy.close();
  });
});
