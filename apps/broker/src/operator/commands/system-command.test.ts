import { randomBytes } from 'node:crypto';
import { adminSystemEndpoints, type System } from '@souk/contract/admin/system.ts';
import { createClient } from '@souk/contract/client.ts';
import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '#operator/cli/run-cli.ts';
import { readConfig } from '#platform/config.ts';
import { disclosure } from '#platform/config/disclosure.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer } from '#platform/operator/operator-server.ts';
import {
  connectPatiently,
  createPostgresDatabase,
  describeOnEmbedded,
  hasPostgres,
} from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../migrations.ts';
import { version } from '../../version.ts';
import { systemCommand } from './system-command.ts';

// The state of an installation, as administrators see it in the browser and operators in the terminal.

async function asAdministrator(app: TestApp) {
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'admin@souk.test' });
  return createClient(adminSystemEndpoints, { baseUrl: app.publicUrl, fetch, token: async () => accessToken });
}

/** Inserts runs of a job, a day apart, as pg-boss stores them. */
async function plantRuns(app: TestApp, name: string, message: string, states: readonly string[]): Promise<void> {
  for (const [index, state] of states.entries()) {
    const day = `2030-01-0${index + 1}T00:00:0`;
    await app.db.query(
      `insert into pgboss.job (name, state, started_on, completed_on, output) values ($1, $2::text::pgboss.job_state, $3, $4, $5)`,
      [name, state, `${day}0Z`, `${day}1Z`, JSON.stringify(state === 'failed' ? { message } : {})],
    );
  }
}

const canary = 'canary-5Qz8';
/** Sets a secret in every variable that may contain one: named variables and those for servers. */
function planted(): Record<string, string> {
  const own = Object.entries(disclosure).flatMap(([name, rule]) => {
    if (rule === 'shown') return [];
    const scheme = name.startsWith('DATABASE') ? 'postgres' : name.startsWith('SMTP') ? 'smtp' : 'http';
    const address = `${scheme}://user:${canary}-${name}@place.example:5432`;
    if (name === 'ALERT_WEBHOOK_URL') return [[name, `https://chat.example/${canary}-${name}`]];
    if (name.endsWith('_HEADERS')) return [[name, `x-key=${canary}-${name}`]];
    if (rule === 'address') return [[name, scheme !== 'postgres' ? address : `${address}/souk?password=${canary}`]];
    return [[name, `${canary}-${name}`]];
  });
  const ofServers = ['HEADER_TRAVEL__KEY', 'ENV_TRAVEL__KEY', 'CLIENT_ID_TRAVEL', 'CLIENT_SECRET_TRAVEL'].map(
    (name) => [`UPSTREAM_${name}`, `${canary}-${name}`],
  );
  const masterKey = `${canary.replaceAll('-', '_')}${randomBytes(32).toString('base64url')}`.slice(0, 43);
  const next = `${canary.replaceAll('-', '_')}${randomBytes(32).toString('base64url')}`.slice(0, 43);
  return { ...Object.fromEntries([...own, ...ofServers]), MASTER_KEY: masterKey, MASTER_KEY_NEXT: next };
}
const partsOfCanary = new RegExp([canary, canary.replaceAll('-', '_')].join('|'));

describeOnEmbedded('the system', migrations, (open) => {
  let app: TestApp;
  let admin: Awaited<ReturnType<typeof asAdministrator>>;
  const found: ConnectionCheck[] = [{ id: 'one', name: 'One', status: 'passed', detail: 'fine', advice: null }];
  let runs = 0;
  beforeAll(async () => {
    const systemChecks = async () => {
      runs += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return found;
    };
    app = await startTestApp({ db: await open(), systemChecks, env: { METRIC_PORT: '1' } });
    admin = await asAdministrator(app);
    return () => app.stop();
  });
  beforeEach(() => {
    runs = 0;
  });

  const read = async (): Promise<System> => (await admin.getSystem()).system;
  const warning = async (id: string) => (await read()).warnings.find((one) => one.id === id)?.text;

  test('shows what runs, on which database, and whether every migration is applied', async () => {
    const { node, publicUrl, database, brokers } = await read();
    expect({ node, publicUrl }).toEqual({ node: process.versions.node, publicUrl: app.publicUrl });
    expect(database.kind).toBe('embedded');
    expect(database.version).toMatch(/^\d+/);
    expect(database.sizeBytes).toBeGreaterThan(1_000_000);
    expect(database.migrations).toEqual({
      applied: migrations.length,
      waiting: [],
    });
    expect(brokers).toMatchObject([{ isThis: true, state: 'alive', version }]);
    await app.db.query(`delete from kysely_migration where name = '0004-platform-backups'`);
    expect((await read()).database.migrations.waiting).toEqual(['0004-platform-backups']);
    expect(await warning('migrations')).toBe('1 migration of this version is not applied: restart the broker.');
    await app.db.query(`insert into kysely_migration (name, timestamp) values ('0004-platform-backups', 'now')`);
  });

  test('shows when jobs ran and run next, and the last failure in one line', async () => {
    const [name, failing] = ['identity-reaping', 'usage-partitions'];
    await plantRuns(app, name, 'no such table\n  at file.ts', ['completed', 'failed', 'completed']);
    await plantRuns(app, failing, 'no such table\n  at file.ts', ['completed', 'failed']);
    const { jobs } = await read();
    const job = jobs.find((one) => one.name === name);
    expect(job).toMatchObject({
      everySeconds: 3600,
      lastRunAt: '2030-01-03T00:00:00.000Z',
      lastFailure: { at: '2030-01-02T00:00:01.000Z', message: 'no such table' },
    });
    expect(Date.parse(job?.nextRunAt ?? '')).toBeGreaterThan(Date.now() + 3_000_000);
    // the other one succeeded again
    expect((await read()).warnings.filter(({ id }) => id === 'job')).toHaveLength(1);
    expect(await warning('job')).toBe(`The job ${failing} failed the last time: no such table`);
  });

  test('counts payment events that wait and fail, and says how long the last took', async () => {
    await app.db.query(
      `insert into payment_events (id, type, object_id, received_at, attempts, next_at, done_at, error) values
        ('evt_1', 'invoice.paid', 'in_1', '2030-01-01T00:00:00Z', 1, null, '2030-01-01T00:00:02.500Z', null),
        ('evt_2', 'invoice.paid', 'in_2', '2030-01-02T00:00:00Z', 0, '2099-01-01', null, null),
        ('evt_3', 'invoice.paid', 'in_3', '2030-01-01T12:00:00Z', 3, '2099-01-01', null, 'no such order')`,
    );
    expect((await read()).payments).toEqual({
      kind: 'sandbox',
      webhook: {
        address: `${app.publicUrl}/api/webhooks/stripe`,
        lastEventAt: '2030-01-02T00:00:00.000Z',
        lastDelayMs: 2500,
        waiting: 2,
        failing: 1,
      },
    });
    expect(await warning('webhook')).toBe('1 payment event could not be handled and will be tried again.');
  });

  test('warns of an untrusted proxy based on its requests, and of what the configuration leaves open', async () => {
    expect(await warning('trust-proxy')).toBeUndefined();
    for (let count = 0; count < 3; count += 1)
      await fetch(`${app.publicUrl}/mcp/info`, { headers: { 'x-forwarded-for': '203.0.113.5' } });
    expect(await warning('trust-proxy')).toMatch(/^TRUST_PROXY is not set, but 3 requests since the start/);
    const { warnings } = await read();
    const ids = warnings.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['demo-sign-in', 'demo-payments', 'misspelled', 'embedded']));
    expect(await warning('misspelled')).toBe('METRIC_PORT is not a variable of Souk: did you mean METRICS_PORT?');
  });

  test('runs the checks only on demand, once for all who request them meanwhile', async () => {
    await read();
    expect(runs).toBe(0);
    const answers = await Promise.all([app.system.check(), app.system.check()]);
    expect(answers.map(({ checks }) => checks)).toEqual([found, found]);
    expect(runs).toBe(1);
    expect((await admin.runSystemChecks()).checks).toEqual(found);
    expect(runs).toBe(2);
  });

  test('souk system prints the same', async () => {
    const operator = await createOperatorServer({
      dataDir: app.dataDir,
      commands: systemCommand(app),
      log: createLog('silent'),
    });
    try {
      const lines: string[] = [];
      const options = {
        environment: { DATA_DIR: app.dataDir },
        stdout: (line: string) => lines.push(line),
        stderr: () => {},
      };
      expect(await runCli(['system', '--json'], options)).toBe(0);
      const shown = JSON.parse(lines.splice(0).join(''));
      const { warnings, database, settings } = await read();
      expect(shown).toMatchObject({ warnings, settings, database: { kind: database.kind } });
      expect(await runCli(['system'], options)).toBe(0);
      expect(lines).toContain('PAYMENTS=on  from default');
      expect(lines.find((line) => line.startsWith('Database: '))).toContain(`${migrations.length} migrations applied`);
      expect(lines.splice(0).filter((line) => line.startsWith('Warning: '))).toHaveLength(warnings.length);
      expect(await runCli(['system', '--check'], options)).toBe(0);
      expect(lines).toContain('ok     One: fine');
    } finally {
      await operator.stop();
    }
  });
});

test('administrators see no secret of any variable, even if checks and jobs quote it', async () => {
  const env = { ...planted(), PAYMENTS: 'off', OIDC_ISSUER: 'https://sign-in.example', GOOGLE_CLIENT_ID: 'google' };
  const quoting = Object.values(env).map((value) => ({
    id: 'one',
    name: 'One',
    status: 'failed' as const,
    detail: `refused ${value}`,
    advice: `look at ${value}`,
  }));
  const app = await startTestApp({ env, systemChecks: async () => quoting });
  try {
    const message = `refused by ${Object.values(env).toReversed().join(' ')}`;
    await plantRuns(app, 'identity-keys', message, ['failed']);
    const system = await app.system.read();
    const shown = system.jobs.find(({ name }) => name === 'identity-keys')?.lastFailure?.message;
    expect(shown).toContain('[redacted] [redacted]');
    expect(JSON.stringify([system, await app.system.check()])).not.toMatch(partsOfCanary);
    const hidden = system.settings.filter(({ isSecret }) => isSecret);
    expect(hidden.map(({ name }) => name)).toEqual([
      'GOOGLE_CLIENT_SECRET',
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
      'ALERT_WEBHOOK_URL',
      'ALERT_WEBHOOK_SECRET',
      'MASTER_KEY',
      'MASTER_KEY_NEXT',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'UPSTREAM_CLIENT_ID_TRAVEL',
      'UPSTREAM_CLIENT_SECRET_TRAVEL',
      'UPSTREAM_ENV_TRAVEL__KEY',
      'UPSTREAM_HEADER_TRAVEL__KEY',
    ]);
    expect(system.settings.find(({ name }) => name === 'DATABASE_URL')?.value).toBe(
      'postgres://place.example:5432/souk',
    );
  } finally {
    await app.stop();
  }
});

test('a setting says where it comes from: environment, file of variables, file of the secret, or default', () => {
  const environment = { PORT: '4000', https_proxy: 'http://proxy.example:1', BRAND_NAME: 'Bazaar', LOG_LEVEL: ' ' };
  const files = new Map([['BRAND_NAME', '/etc/souk.env']]);
  const { settings } = readConfig({ ...environment, DATA_DIR: '/data' }, files);
  const of = (name: string) => settings.find((one) => one.name === name);
  expect(of('PORT')).toEqual({ name: 'PORT', value: '4000', isSecret: false, origin: 'environment', file: null });
  expect(of('BRAND_NAME')).toMatchObject({ value: 'Bazaar', origin: 'env-file', file: '/etc/souk.env' });
  expect(of('HTTPS_PROXY')).toMatchObject({ value: 'http://proxy.example:1/', origin: 'environment' });
  expect(of('MASTER_KEY')).toMatchObject({ value: null, origin: 'secret-file', file: '/data/master.key' });
  // defaults where nothing is set
  expect(of('LOG_LEVEL')).toMatchObject({ value: 'warn', origin: 'default' });
  expect(of('PUBLIC_URL')).toMatchObject({ value: 'http://localhost:4000', origin: 'default' });
  expect(of('ADMIN_EMAILS')).toMatchObject({ value: 'admin@souk.test', origin: 'default' });
  expect(of('CATALOGUE_DIR')).toMatchObject({ value: null, origin: 'default' });
});

describe.skipIf(!hasPostgres())('two brokers', () => {
  test('are both listed, and a killed one is shown as down in time', async () => {
    const databaseUrl = await createPostgresDatabase(migrations);
    const env = { MASTER_KEY: randomBytes(32).toString('base64url') };
    const start = async () => {
      const db = await connectPatiently(databaseUrl);
      return { db, app: await startTestApp({ db, env }) };
    };
    const one = await start();
    const other = await start();
    try {
      const listed = async () => (await one.app.system.read()).brokers.map(({ isThis, state }) => `${isThis} ${state}`);
      expect(await listed()).toEqual(['true alive', 'false alive']);
      const [, { id = '', lagMs = null } = {}] = (await one.app.system.read()).brokers;
      expect(lagMs === null || lagMs < 5_000).toBe(true);
      // its connections end with it, without a goodbye
      await other.db.close();
      await waitUntil('it is gone', async () => (await listed())[1] === 'false gone');
      const { warnings, database } = await one.app.system.read();
      expect(database).toMatchObject({
        kind: 'postgresql',
        version: expect.stringMatching(/^\d+/),
        migrations: { applied: migrations.length, waiting: [] },
      });
      expect(database.sizeBytes).toBeGreaterThan(1_000_000);
      expect(warnings.map(({ id }) => id)).not.toContain('embedded');
      const text = warnings.find((warning) => warning.id === 'broker-gone')?.text ?? '';
      expect(text).toContain(`Broker ${id} has sent no heartbeat since`);
      const [since, until] = [...text.matchAll(/\d{4}-[\d:.T-]+Z/g)].map(([at]) => Date.parse(at));
      expect(text).toContain('this warning ends at');
      expect((until ?? 0) - (since ?? 0)).toBe(3_600_000);
    } finally {
      await other.app.stop();
      await one.app.stop();
    }
    const left = await connectPatiently(databaseUrl);
    expect((await left.query('select id from live_brokers')).rows).toHaveLength(1);
    await left.close();
  });
});
