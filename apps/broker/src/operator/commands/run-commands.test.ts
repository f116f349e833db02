import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adminManifestRunEndpoints } from '@souk/contract/admin-manifest-runs.ts';
import { adminManifestEndpoints } from '@souk/contract/admin-manifests.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSouk } from '#operator/cli/testing/run-souk.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { temporaryRoot } from '#testing/databases.ts';
import { forkBroker } from '#testing/fork-broker.ts';
import { freePort } from '#testing/free-port.ts';
import { startHeldServer, type HeldServer } from '#testing/held-server.ts';
import { startHttpFixture, type HttpFixture } from '#testing/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { operatorCommands } from './operator-commands.ts';

// `souk manifest reload` and `souk manifest deploy --all`, with a broker and without one.

let app: TestApp;
let operator: OperatorServer;
let server: HttpFixture;
let held: HeldServer;
let folder = '';

beforeAll(async () => {
  app = await startTestApp({ env: { UPSTREAM_ALLOW_ADDRESSES: '127.0.0.0/8' } });
  operator = await createOperatorServer({
    dataDir: app.dataDir,
    commands: operatorCommands(app),
    log: createLog('silent'),
  });
  [server, held] = await Promise.all([startHttpFixture(), startHeldServer()]);
  folder = await mkdtemp(join(temporaryRoot(), 'runs-'));
});
afterAll(async () => {
  await operator?.stop();
  await app?.stop();
  await Promise.all([server?.close(), held?.close()]);
  await rm(folder, { recursive: true, force: true });
});

const soukIn = (environment: NodeJS.ProcessEnv, argv: readonly string[]) =>
  runSouk(['manifest', ...argv], { environment });
const souk = (...argv: string[]) => soukIn({ DATA_DIR: app.dataDir }, argv);

const manifestOf = (id: string, url = server.url) =>
  JSON.stringify({
    id,
    name: id,
    serviceType: 'mcp',
    version: '1.0.0',
    description: 'A server.',
    category: 'data',
    connection: { type: 'http', url },
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

test('all staged manifests are deployed, and all servers asked again, by command', async () => {
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

test('a run that was killed with its broker is finished at the next start; deploy --all works on the folder meanwhile, and reload says that no broker runs', async () => {
  const port = await freePort();
  const publicUrl = `http://localhost:${port}`;
  const environment = {
    DATA_DIR: join(folder, 'data'),
    MASTER_KEY: randomBytes(32).toString('base64url'),
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    UPSTREAM_ALLOW_ADDRESSES: '127.0.0.0/8',
  };
  const killed = await forkBroker(environment, []);
  const { accessToken } = await new ScriptedBrowser(publicUrl).signInWeb({ email: 'admin@souk.test' });
  const admin = createClient([...adminManifestEndpoints, ...adminManifestRunEndpoints], {
    baseUrl: publicUrl,
    fetch,
    token: async () => accessToken,
  });
  await admin.createManifest({ query: {}, body: manifestOf('held', held.url) });
  // both wait for an answer of the server
  admin.deployManifest({ params: { id: 'held' }, body: {} }).catch(() => {});
  const isActive = async () => (await admin.listManifests({ query: {} })).manifests.some((one) => one.isActive);
  await waitUntil('it to be deployed', isActive);
  const reload = admin.reloadManifests();
  reload.catch(() => {});
  const newest = async () => (await admin.listManifestRuns()).runs.find(({ kind }) => kind === 'reload');
  await waitUntil('it to work', async () => {
    const id = (await newest())?.id;
    return id !== undefined && (await admin.getManifestRun({ params: { id } })).run.items[0]?.status === 'working';
  });
  const runId = (await newest())?.id ?? '';
  await killed.kill();
  held.release();

  expect(await soukIn(environment, ['reload'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no broker runs on the data folder'),
  });
  expect((await soukIn(environment, ['stage', await file('late')])).code).toBe(0);
  expect(await soukIn(environment, ['deploy', '--all'])).toEqual({
    code: 0,
    out: 'Deployed 1 of 1 staged manifests.\nNo broker is running here: the servers are asked what they offer when one is.',
    err: '',
  });

  const next = await forkBroker(environment, []);
  try {
    const find = async () => (await admin.getManifestRun({ params: { id: runId } })).run;
    await waitUntil('it to be finished', async () => (await find()).status !== 'running');
    expect(await find()).toMatchObject({ status: 'done', items: [{ id: 'held', status: 'failed' }] });
    const { manifests } = await admin.listManifests({ query: {} });
    expect(manifests.find(({ id }) => id === 'late')).toMatchObject({ isActive: true, status: 'connected' });
  } finally {
    await next.kill();
  }
});
