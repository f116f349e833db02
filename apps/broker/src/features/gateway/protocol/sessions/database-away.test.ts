import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { limitElapsed } from '#testing/figures/limits.ts';
import { postRaw, type RawAnswer } from '#testing/people/mcp-clients.ts';
import { initializeRequest, openSession } from '#testing/people/open-session.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { startTcpProxy, type TcpProxy } from '#testing/network/tcp-proxy.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../../migrations.ts';

/** Maximum time of ten sequential answers without the database. */
const mostMs = 5000;
const minuteMs = 60_000;

describe.skipIf(!hasPostgres())('sessions while the database is down (PostgreSQL)', () => {
  let app: TestApp;
  let proxy: TcpProxy;
  let token = '';
  /** Time of the broker's clock, which is stopped. */
  let nowMs = Date.now();
  beforeAll(async () => {
    const url = new URL(await createPostgresDatabase());
    proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    const log = createLog('silent');
    const db = await openDatabase({ databaseUrl: url.href, dataDir: '', log, migrations });
    app = await startTestApp({ db, env: withoutHealthChecks, clock: { now: () => nowMs } });
    ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  });
  afterEach(() => proxy.resume());
  afterAll(async () => {
    await app?.stop();
    await proxy?.close();
  });

  const link = () => `${app.publicUrl}/mcp`;
  const initialize = () => postRaw(link(), initializeRequest(), { authorization: `Bearer ${token}` });
  const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });

  /** @param id of the request: unknown if the caller's token could not be checked before the body is read */
  function expectUnavailable({ status, headers, body, text }: RawAnswer, id: number): void {
    expect([status, headers.get('retry-after'), headers.get('content-type')]).toEqual([503, '5', 'application/json']);
    expect([id, null]).toContain(body.id);
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      error: {
        code: -32603,
        message: 'The service is not available right now. Please try again in a moment.',
        data: { code: 'unavailable' },
      },
    });
    expect(headers.get('mcp-session-id')).toBeNull();
    expect(text).not.toMatch(/ECONN|timeout|\bat /);
  }

  test.each([
    ['refuses connections', () => proxy.stop()],
    ['says nothing', async () => proxy.freeze()],
  ])(
    'a database that %s: initialize answers 503 with Retry-After in time, and recovers automatically',
    async (_, away) => {
      expect((await initialize()).status).toBe(200);
      await away();
      const ask = async () => {
        // one user's sessions are opened sequentially
        const answers = await Promise.all(Array.from({ length: 10 }, initialize));
        for (const answer of answers) expectUnavailable(answer, 1);
      };
      await limitElapsed(mostMs, ask, { scales: 'none' });
      await proxy.resume();
      await waitUntil('sessions to be opened again', async () => (await initialize()).status === 200);
    },
  );

  test('a session that has left memory answers 503 meanwhile, never 404, and continues afterwards', async () => {
    const session = await openSession(link(), token);
    nowMs += 31 * minuteMs;
    let answer: RawAnswer | undefined;
    // repeated if a slow machine has forgotten the caller by then: the session is what has to be read
    for (let round = 0; round < 10 && answer?.body.id !== 2; round++) {
      await proxy.resume();
      await waitUntil('the database to respond', async () => (await initialize()).status === 200);
      proxy.freeze();
      answer = await postRaw(link(), list, session);
      expectUnavailable(answer, 2);
    }
    expect(answer?.body.id).toBe(2);
    await proxy.resume();
    await waitUntil('the session to continue', async () => (await postRaw(link(), list, session)).status === 200);
  });
});
