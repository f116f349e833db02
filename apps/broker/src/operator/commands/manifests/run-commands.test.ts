import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSouk } from '#operator/cli/testing/run-souk.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { migrations } from '../../../migrations.ts';
import { operatorCommands } from '../operator-commands.ts';

let app: TestApp;
let operator: OperatorServer;
let server: HttpFixture;
let folder = '';

beforeAll(async () => {
  app = await startTestApp({ env: { UPSTREAM_ALLOW_ADDRESSES: '127.0.0.0/8' } });
  operator = await createOperatorServer({
    dataDir: app.dataDir,
    commands: operatorCommands(app),
    log: createLog('silent'),
  });
  server = await startHttpFixture();
  folder = await mkdtemp(join(temporaryRoot(), 'runs-'));
});
afterAll(async () => {
  await operator?.stop();
  await app?.stop();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const soukIn = (environment: NodeJS.ProcessEnv, argv: readonly string[]) =>
  runSouk(['manifest', ...argv], { environment });
const souk = (...argv: string[]) => soukIn({ DATA_DIR: app.dataDir }, argv);

const manifestOf = (id: string) =>
  JSON.stringify({
    id,
    name: id,
    serviceType: 'mcp',
    version: '1.0.0',
    description: 'A server.',
    category: 'data',
    connection: { type: 'http', url: server.url },
  });

async function file(id: string): Promise<string> {
  const path = join(folder, `${id}.json`);
  await writeFile(path, manifestOf(id));
  return path;
}

async function newestRun(): Promise<string | undefined> {
  const { rows } = await app.db.query<{ id: string }>('select id from manifest_runs order by started_at desc limit 1');
  return rows[0]?.id;
}

test('all staged manifests are deployed, and all servers queried again, by command', async () => {
  for (const id of ['lens', 'maps']) await souk('stage', await file(id));
  const reason = 'The release of Monday';
  const first = await souk('deploy', '--all', '--reason', reason);
  expect(first).toEqual({ code: 0, out: 'Deployed 2 of 2 staged manifests.', err: '' });
  expect(app.catalogue.snapshot().servers.map(({ id }) => id)).toEqual(['lens', 'maps']);
  const { out: again } = await souk('deploy', '--all', '--json');
  expect(JSON.parse(again)).toEqual({
    deployed: 0,
    failed: 0,
    errors: [],
    runId: await newestRun(),
    running: true,
  });
  expect(await souk('reload')).toEqual({ code: 0, out: 'Reloaded 2 of 2 servers.', err: '' });
  const { out: reloadedAgain } = await souk('reload', '--json');
  expect(JSON.parse(reloadedAgain)).toEqual({
    reloadedCount: 2,
    errors: [],
    runId: await newestRun(),
  });
  expect((await souk('deploy', 'lens', '--all')).code).toBe(64);
  const { rows } = await app.db.query(
    `select actor_id, action, reason from audit_log where subject = 'manifests' order by id`,
  );
  const deployed = { actor_id: null, action: 'manifests.deployed', reason: null };
  const reloaded = { actor_id: null, action: 'manifests.reloaded', reason: null };
  expect(rows).toEqual([{ ...deployed, reason }, deployed, reloaded, reloaded]);
  const { rows: ofLens } = await app.db.query(
    `select reason from audit_log where subject = 'lens' and action = 'manifest.deployed' order by id`,
  );
  expect(ofLens).toEqual([{ reason }]);
});

test('if no broker runs deploy --all works on the folder, and reload says that none runs; the next start queries the servers', async () => {
  const env = { MASTER_KEY: randomBytes(32).toString('base64url'), UPSTREAM_ALLOW_ADDRESSES: '127.0.0.0/8' };
  const environment = { DATA_DIR: join(folder, 'data'), ...env };
  const open = () =>
    openDatabase({ databaseUrl: undefined, dataDir: environment.DATA_DIR, log: createLog('silent'), migrations });
  const left = await open();
  await left.close();

  expect(await soukIn(environment, ['reload'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no broker runs on the data folder'),
  });
  expect((await soukIn(environment, ['stage', await file('late')])).code).toBe(0);
  expect(await soukIn(environment, ['deploy', '--all'])).toEqual({
    code: 0,
    out: 'Deployed 1 of 1 staged manifests.\nNo broker is running here: the next one asks the servers what they offer.',
    err: '',
  });

  const next = await startTestApp({ db: await open(), env });
  try {
    await next.serversAsked;
    expect(next.catalogue.snapshot().byId.get('late')).toMatchObject({ status: 'connected' });
  } finally {
    await next.stop();
  }
});
