import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { programPlaceOf } from '#features/upstreams/index.ts';
import { runSouk } from '#operator/cli/testing/run-souk.ts';
import type { Database } from '#platform/db/database.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { openTestDatabase, temporaryRoot } from '#testing/databases/databases.ts';
import { deployManifest, patience } from '#testing/deploy-manifest.ts';
import { freePort } from '#testing/network/free-port.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../migrations.ts';
import { operatorCommands } from './operator-commands.ts';
import { serverCommands } from './server-commands.ts';

/** Programs that can no longer be started, and what the operator sees of them until they can. */
let folder: string;
let db: Database;
let stdioAllowlist: string;
let aheadMs: number;
const masterKey = randomBytes(32).toString('base64url');
const program = join(import.meta.dirname, '../../testing/servers/small-stdio.ts');
const fault = { argv: ['{node}', program], reads: [program] };
const connection = { type: 'stdio', command: 'fault' };

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'away-'));
  stdioAllowlist = join(folder, 'allowlist.json');
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  aheadMs = 0;
  db = await openTestDatabase(migrations);
});
afterEach(() => db.close());

type Running = {
  app: TestApp;
  metrics(): Promise<string>;
  call(name: string): Promise<string>;
  souk(...argv: string[]): ReturnType<typeof runSouk>;
};

/** Starts the broker on the same database, as after a configuration change, while `use` runs. */
async function run(list: object, env: NodeJS.ProcessEnv, use: (running: Running) => Promise<void>): Promise<void> {
  await writeFile(stdioAllowlist, JSON.stringify(list));
  const metricsPort = await freePort();
  const environment = { STDIO_ALLOWLIST: stdioAllowlist, MASTER_KEY: masterKey, ...env };
  let operator: OperatorServer | undefined;
  const app = await startTestApp({
    db: { ...db, close: async () => {} },
    clock: { now: () => Date.now() + aheadMs },
    env: { ...environment, METRICS_PORT: String(metricsPort) },
  });
  try {
    const commands = {
      ...operatorCommands(app),
      ...serverCommands(app),
    };
    operator = await createOperatorServer({ dataDir: app.dataDir, commands, log: createLog('silent') });
    await app.serversAsked;
    const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
    await use({
      app,
      metrics: async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
      souk: (...argv) => runSouk(argv, { environment: { ...environment, DATA_DIR: app.dataDir } }),
      async call(name) {
        const client = await connectModern(`${app.publicUrl}/mcp`, token);
        const { content } = await client.callTool({ name: `fault__${name}`, arguments: {} });
        await client.close();
        return JSON.stringify(content);
      },
    });
  } finally {
    await operator?.stop();
    await app.stop();
  }
}

const statusOf = ({ catalogue }: TestApp) => {
  const { status, statusDetail } = catalogue.snapshot().byId.get('fault') ?? {};
  return { status, statusDetail };
};

test('a program whose alias left the allow-list is shown as not connected everywhere, and as connected once the alias is back', async () => {
  await run({ fault }, {}, async ({ app, call, metrics, souk }) => {
    await deployManifest(app, { id: 'fault', slug: 'fault', connection });
    expect(await call('echo')).toContain('text');
    expect(await metrics()).toContain('souk_upstream_up{server="fault"} 1');
    expect(await souk('check-config')).toEqual({ code: 0, out: 'Configuration is valid', err: '' });
  });
  const reasons: [NodeJS.ProcessEnv, string][] = [
    [{}, `the program fault is not on the allow-list ${stdioAllowlist}: add it there and start again`],
    [{ STDIO: 'off' }, 'the program fault is not started, since STDIO is off: set STDIO=allowlist and start again'],
  ];
  for (const [env, reason] of reasons) {
    await run({}, env, async ({ app, call, metrics, souk }) => {
      const detail = "This installation does not run the service's program";
      expect(statusOf(app)).toEqual({ status: 'error', statusDetail: detail });
      expect(await metrics()).toContain('souk_upstream_up{server="fault"} 0');
      expect((await souk('server', 'log', 'fault')).out.split('\n').slice(0, 2)).toEqual([
        `error: ${detail}`,
        `Reason: ${reason}, or undeploy the server`,
      ]);
      // the same as on the administrators' screen
      const { now } = JSON.parse((await souk('server', 'show', 'fault', '--json')).out);
      expect(now).toMatchObject({ status: 'error', reason: detail, detail: `${reason}, or undeploy the server` });
      expect(await call('echo')).toContain('is set up in a way that is not allowed here');
      const checked = await souk('check-config');
      // the broker starts with it
      expect(checked.code).toBe(0);
      expect(checked.err).toBe(
        `Warning: deployed server fault: ${reason}, or undeploy the server (npm run souk -- manifest undeploy fault)`,
      );
    });
  }
  await run({ fault }, {}, async ({ app, call }) => {
    expect(statusOf(app)).toEqual({ status: 'connected', statusDetail: undefined });
    expect(await call('echo')).toContain('text');
  });
});

test('the same applies to a program that lost its secret, or its package', async () => {
  const withSecret = { fault: { ...fault, secrets: ['API_TOKEN'] } };
  const UPSTREAM_ENV_FAULT__API_TOKEN = 'secret';
  await run(withSecret, { UPSTREAM_ENV_FAULT__API_TOKEN }, async ({ app }) => {
    await deployManifest(app, { id: 'fault', slug: 'fault', connection });
  });
  const notSetUp = { status: 'error', statusDetail: 'The operator has not finished setting this service up' };
  const cannotStart = 'a program cannot start: UPSTREAM_ENV_FAULT__API_TOKEN';
  await run(withSecret, {}, async ({ app, souk }) => {
    expect(statusOf(app)).toEqual(notSetUp);
    expect(app.logged()).toContain(cannotStart);
    expect((await souk('check-config')).err).toContain(
      'deployed server fault: its program needs UPSTREAM_ENV_FAULT__API_TOKEN (or UPSTREAM_ENV_FAULT__API_TOKEN_FILE), which is not set',
    );
    const needed = { kind: 'variable', name: 'API_TOKEN', place: programPlaceOf('fault') } as const;
    await app.upstreams.secrets.set('fault', needed, 'entered', { operator: 'ops' });
  });
  await run(withSecret, {}, async ({ app }) => {
    expect(statusOf(app)).toEqual({ status: 'connected', statusDetail: undefined });
    expect(app.logged()).not.toContain(cannotStart);
  });
  await run({ fault: { argv: ['{node}', '{package:@souk-test/away/main.js}'] } }, {}, async ({ app, souk }) => {
    expect(statusOf(app)).toEqual(notSetUp);
    expect((await souk('server', 'log', 'fault')).out).toContain(
      'Reason: the package @souk-test/away of the allow-list is not installed',
    );
  });
});

test('a program that crashed repeatedly says what restarts it, and each of these does', async () => {
  await run({ fault }, { HEALTH_INTERVAL_MS: '200', SERVICE_RESTART_DELAY_MS: '1' }, async (running) => {
    const { app, call, souk } = running;
    const shared = { id: 'fault', slug: 'fault', connection, isolation: 'shared' };
    await deployManifest(app, shared);
    const how =
      'the program crashed 3 times within a minute and stays stopped until someone presses Refresh in the marketplace, or you run: npm run souk -- manifest deploy fault';
    const stopped = {
      status: 'error',
      statusDetail:
        'The server crashed three times within a minute. It stays stopped until someone presses Refresh in the marketplace',
    };
    const crashForGood = async () => {
      const before = warnings();
      for (let crash = 0; crash < 3; crash++) {
        expect(await call('crash')).toContain('ended the connection');
        // longer than the pause between two starts
        aheadMs += 5000;
      }
      await waitUntil('it to stay stopped', () => statusOf(app).status === 'error');
      expect(statusOf(app)).toEqual(stopped);
      expect(warnings() - before).toBe(1);
      expect((await souk('server', 'log', 'fault')).out).toContain(`Reason: ${how}`);
    };
    const warnings = () =>
      app
        .logged()
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Record<string, unknown> => JSON.parse(line))
        .filter(({ level, server, msg }) => level === 40 && server === 'fault' && msg === how).length;

    await crashForGood();
    const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'bob@souk.test' });
    const refresh = () =>
      fetch(`${app.publicUrl}/mcp/refresh`, { method: 'POST', headers: { authorization: `Bearer ${accessToken}` } });
    // it was queried a moment ago, so the request is remembered for the rest of the 10 s
    aheadMs += 9500;
    expect(await (await refresh()).json()).toMatchObject({ refreshed: ['fault'] });
    await waitUntil('Refresh to start it again', () => statusOf(app).status === 'connected');
    expect(await call('echo')).toContain('text');

    const file = join(folder, 'fault.json');
    const manifest = { ...shared, name: 'fault', serviceType: 'mcp', version: '1.0.0', deadlines: patience };
    await writeFile(file, JSON.stringify({ ...manifest, description: 'A server of a test.', category: 'data' }));
    for (const what of ['fault', file]) {
      aheadMs += 60_000;
      await crashForGood();
      const { code, out } = await souk('manifest', 'deploy', what);
      expect({ code, is: out.split('\n')[0] }).toEqual({ code: 0, is: 'fault 1.0.0 is deployed already.' });
      expect(statusOf(app)).toEqual({ status: 'connected', statusDetail: undefined });
      expect(await call('echo')).toContain('text');
    }
  });
});
