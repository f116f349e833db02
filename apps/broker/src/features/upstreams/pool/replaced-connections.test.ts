import { expect, test } from 'vitest';
import { openPool } from '../testing/open-pool.ts';
import { testServer } from '../testing/test-server.ts';

const program = { connection: { type: 'stdio', command: 'files' }, isolation: 'shared' } as const;
const files = testServer({ ...program, id: 'files' });
type Pool = Awaited<ReturnType<typeof openPool>>['pool'];
const use = async (pool: Pool, needs = {}) => pool.acquire(files, 'ann', needs);

test('a replaced program ends with its calls, and the next one starts then', async () => {
  const { pool, close } = await openPool();
  const first = await use(pool);
  // a subscription may last as long as its client wants: it keeps no old program running
  const subscription = await use(pool, { own: true });
  const { pid } = first.upstream;
  pool.replaceServer('files');
  pool.replaceServer('files');
  let isThere = false;
  const next = use(pool).then((lease) => {
    isThere = true;
    return lease;
  });
  // programs requested later have started meanwhile
  for (const id of ['second', 'third']) (await pool.acquire(testServer({ ...program, id }), 'ann')).release();
  expect(isThere).toBe(false);
  // the running call is not disturbed
  await first.upstream.ping(5000);
  expect(pool.stdioPids('files')).toEqual([]);
  first.release();
  const second = await next;
  expect(second.upstream.pid).not.toBe(pid);
  expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH');
  subscription.release();
  second.release();
  expect(pool.stdioPids('files')).toEqual([second.upstream.pid]);
  await close();
});

test('an unused program ends immediately, and the stop waits for one that is in use', async () => {
  const { pool, close } = await openPool();
  const idle = await use(pool);
  idle.release();
  pool.replaceServer('files');
  const busy = await use(pool);
  expect(busy.upstream.pid).not.toBe(idle.upstream.pid);
  pool.replaceServer('files');
  await close();
  for (const { upstream } of [idle, busy]) expect(() => process.kill(upstream.pid ?? 0, 0)).toThrow('ESRCH');
});
