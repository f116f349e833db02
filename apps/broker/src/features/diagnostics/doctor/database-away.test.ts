import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { startTcpProxy, type TcpProxy } from '#testing/network/tcp-proxy.ts';
import { migrations } from '../../../migrations.ts';
import { runDoctor } from './run-doctor.ts';

describe.skipIf(!hasPostgres())('the doctor while the database is down (PostgreSQL)', () => {
  let app: TestApp;
  let proxy: TcpProxy;
  beforeAll(async () => {
    const url = new URL(await createPostgresDatabase());
    proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    const db = await openDatabase({ databaseUrl: url.href, dataDir: '', log: createLog('silent'), migrations });
    app = await startTestApp({ db, env: withoutHealthChecks });
  });
  afterAll(async () => {
    await proxy?.resume();
    await app?.stop();
    await proxy?.close();
  });

  test('names the database once, and does not suspect the proxy', async () => {
    await proxy.stop();
    const { checks, ok } = await runDoctor({
      baseUrl: app.publicUrl,
      clientName: 'Doctor from outside',
      nowMs: () => Date.now(),
    });
    expect(ok).toBe(false);
    const faults = checks.filter(({ status }) => status === 'failed');
    expect(faults).toEqual([
      {
        id: 'ready',
        name: 'The broker is ready',
        status: 'failed',
        detail: 'It answers “not ready”: its database does not answer, or the broker is starting or stopping.',
        advice: expect.stringContaining('docs/runbook/database-away.md'),
      },
    ]);
  });
});
