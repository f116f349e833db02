import { expect, onTestFinished, test } from 'vitest';
import { startForgetfulServer } from '#testing/servers/forgetful-server.ts';
import { openPool } from '../testing/open-pool.ts';
import { testServer } from '../testing/test-server.ts';
import { useConnection } from './use-connection.ts';

async function start() {
  const remote = await startForgetfulServer();
  const { pool, close } = await openPool({ allowAddresses: [remote.address] });
  onTestFinished(async () => {
    await close();
    await remote.close();
  });
  const server = testServer({ id: 'forgetful', connection: { type: 'http', url: remote.url } });
  return { remote, pool, acquire: async () => pool.acquire(server, 'ann') };
}

const patienceMs = 60_000;

test('a dropped connection accepts no new use, and ends with its last one', async () => {
  const { acquire } = await start();
  const first = await acquire();
  const second = await acquire();
  expect(second.upstream).toBe(first.upstream);
  first.drop();
  const third = await acquire();
  expect(third.upstream).not.toBe(first.upstream);
  first.release();
  // the other use is not disturbed
  await second.upstream.ping(patienceMs);
  // it has lost the same session, and not the one opened since
  second.drop();
  second.release();
  await expect(second.upstream.ping(patienceMs)).rejects.toMatchObject({ kind: 'closed' });
  const fourth = await acquire();
  expect(fourth.upstream).toBe(third.upstream);
  await fourth.upstream.ping(patienceMs);
  third.release();
  fourth.release();
});

test('a request for lists outside of calls gets another session the next time', async () => {
  const { remote, acquire } = await start();
  const read = () => useConnection(acquire(), (upstream) => upstream.listTools());
  expect(await read()).not.toEqual([]);
  for (const error of [{ code: -32_000, message: 'Session expired' }, undefined]) {
    remote.lose({ status: error ? 200 : 404, ...(error && { error }) });
    await expect(read()).rejects.toMatchObject({ hasLostSession: true });
    expect(await read()).not.toEqual([]);
  }
});
