import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { migrations } from '../apps/broker/src/migrations.ts';
import { openDatabase } from '../apps/broker/src/platform/db/open-database.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { version } from '../apps/broker/src/version.ts';
import { freePort } from '../apps/broker/src/testing/network/free-port.ts';
import { connectModern } from '../apps/broker/src/testing/people/mcp-clients.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';
import { findOtherUser, giveFolder } from './other-user.ts';
import { untilAllConnected } from './until-all-connected.ts';
import { newDataDir, runToEnd, startProduct } from './product.ts';

/** Runs like in production: NODE_ENV=production, a company's own sign-in provider, figures for a monitoring system. */
test('in production the log reports start and stop, and who may sign in, by default; figures are on their own port', async () => {
  const [dataDir, metricsPort] = [await newDataDir(), await freePort()];
  const secret = 'canary-company-secret';
  // replaces systemd's own program, which needs a running systemd
  const heard = join(dataDir, 'heard-by-systemd');
  await writeFile(join(dataDir, 'systemd-notify'), `#!/bin/sh\necho "$*" >> ${heard}\n`, { mode: 0o755 });
  const env = {
    PATH: `${dataDir}:${process.env['PATH']}`,
    NOTIFY_SOCKET: join(dataDir, 'notify'),
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://souk.example',
    MASTER_KEY: randomBytes(32).toString('base64url'),
    OIDC_ISSUER: 'https://id.acme.example',
    OIDC_CLIENT_ID: 'souk',
    OIDC_CLIENT_SECRET: secret,
    OIDC_NAME: 'Acme',
    SIGN_IN_ALLOW: 'acme.example',
    PAYMENTS: 'off',
    METRICS_PORT: String(metricsPort),
    BACKUP_DIR: join(dataDir, 'backups'),
    BRAND_NAM: 'Acme',
  };
  const product = await startProduct({ dataDir, env });
  const readMetrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const metrics = await readMetrics();
  // made by a separate process, which requests a copy from the broker
  await waitUntil('an automatic backup', async () => /^souk_backup_age_seconds \d/m.test(await readMetrics()));
  expect(await readdir(env.BACKUP_DIR)).toEqual([expect.stringMatching(/^souk-\d{8}T\d{6}Z\.tar\.zst$/)]);
  expect(metrics).toMatch(/^process_resident_memory_bytes \d+$/m);
  await waitUntil(
    'systemd to be notified of the start',
    async () => (await readFile(heard, 'utf8').catch(() => '')) !== '',
  );
  expect(await readFile(heard, 'utf8')).toBe('READY=1\n');
  expect(await product.kill('SIGTERM')).toBe(0);
  expect(await readFile(heard, 'utf8')).toBe('READY=1\nSTOPPING=1\n');
  const output = product.output();
  const lines = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Record<string, unknown> => JSON.parse(line));
  const of = (msg: string) => lines.filter((line) => line['msg'] === msg);
  const facts = { address: 'https://souk.example', link: 'https://souk.example/mcp', signIn: 'with Acme' };
  expect(of('Souk is ready')).toMatchObject([{ ...facts, open: 'acme.example', version }]);
  expect(of('broker stopping')).toMatchObject([{ signal: 'SIGTERM' }]);
  expect(of('broker stopped')).toMatchObject([{ tookMs: expect.any(Number) }]);
  expect(output).not.toContain(secret);
  // the only remaining warnings: the demo services are not part of production, and no own server is deployed
  expect(lines.filter(({ level }) => Number(level) > 30).map(({ msg }) => msg)).toEqual([
    'BRAND_NAM is not a variable of Souk: did you mean BRAND_NAME?',
    'no server is deployed, so the shop is empty: set ADMIN_EMAILS, sign in and upload a manifest at ' +
      'https://souk.example/admin, or run `npm run souk -- manifest deploy FILE` (docs/manifests.md says what a manifest is)',
  ]);
  expect(product.stderr()).toBe('');

  const taken = await runToEnd(['apps/broker/src/main.ts'], { ...env, DATA_DIR: dataDir, PORT: String(metricsPort) });
  expect(taken.output).toContain('METRICS_PORT must be another port than PORT');
  await rm(dataDir, { recursive: true, force: true });
});

test("an operator's configuration error is reported in one line, without a stack", async () => {
  const dataDir = await newDataDir();
  const port = String(await freePort());
  const start = (env: NodeJS.ProcessEnv) =>
    runToEnd(['apps/broker/src/main.ts'], { DATA_DIR: dataDir, PORT: port, STDIO: 'off', LOG_LEVEL: 'error', ...env });
  // an address for documents (RFC 5737), which no machine has
  const metrics = { METRICS_HOST: '192.0.2.1', METRICS_PORT: String(await freePort()) };
  const [noFolder, noAddress] = await Promise.all([start({ DATA_DIR: 'package.json' }), start(metrics)]);
  expect(noFolder.code).toBe(78);
  expect(noFolder.output).toMatch(/^Souk cannot start: The configuration has 1 problem:\n {2}- DATA_DIR: .*\n$/);
  expect(noAddress.output).toBe('Souk cannot start: METRICS_HOST is not an address of this machine.\n');
  await rm(dataDir, { recursive: true, force: true });
});

test('a database of a newer version, a lost key and a wrong key end the start and the commands with 78 and instructions', async () => {
  const dataDir = await newDataDir();
  const keyFile = join(dataDir, 'master.key');
  const log = createLog('silent');
  const port = String(await freePort());
  const first = await startProduct({ dataDir, env: { STDIO: 'off', BUNDLED_CATALOGUE: 'off' } });
  expect(await first.kill('SIGTERM')).toBe(0);
  const env = { DATA_DIR: dataDir, PORT: port, STDIO: 'off', BUNDLED_CATALOGUE: 'off' };
  const start = (more: NodeJS.ProcessEnv = {}) => runToEnd(['apps/broker/src/main.ts'], { ...env, ...more });
  const souk = (...words: string[]) =>
    runToEnd(['--', 'scripts/run.mjs', 'apps/broker/src/operator/souk.ts', ...words], env);

  const db = await openDatabase({ databaseUrl: undefined, dataDir, log, migrations });
  await db.query(`insert into kysely_migration values ('9999-of-tomorrow', '2999')`);
  await db.query(`insert into migration_versions values ('9999-of-tomorrow', '7.0.0')`);
  await db.close();
  const newer = `the database was changed by version 7.0.0 (its migration 9999-of-tomorrow), and this is version ${version}, which does not know that change. Start version 7.0.0 again, or restore a backup from before the upgrade.`;
  expect(await start()).toMatchObject({ code: 78, output: `Souk cannot start: ${newer}\n` });
  expect(await souk('manifest', 'list')).toMatchObject({ code: 78, output: `The command cannot run: ${newer}\n` });

  const key = await readFile(keyFile, 'utf8');
  await rm(keyFile);
  const lost = await start();
  expect(lost.code).toBe(78);
  expect(lost.output).toMatch(
    /^Souk cannot start: .*\n {2}- MASTER_KEY is not set and .*master\.key is missing.* Restore master\.key .*\n$/,
  );
  expect((await souk('manifest', 'list')).code).toBe(78);
  expect(existsSync(keyFile)).toBe(false);
  await writeFile(keyFile, key, { mode: 0o600 });

  const again = await openDatabase({ databaseUrl: undefined, dataDir, log, migrations });
  await again.query(`delete from kysely_migration where name = '9999-of-tomorrow'`);
  await again.close();
  const otherFile = join(dataDir, 'other.key');
  await writeFile(otherFile, randomBytes(32).toString('base64url'));
  const wrong = await start({ MASTER_KEY_FILE: otherFile });
  const sealed =
    'the secrets in the database were sealed with another master key: MASTER_KEY (or MASTER_KEY_FILE) is not that key.';
  expect(wrong).toMatchObject({
    code: 78,
    output: `Souk cannot start: ${sealed} Restore the key of its first start.\n`,
  });
  const noFile = await souk('--env-file=/nowhere/souk.env', 'manifest', 'list');
  expect(noFile).toMatchObject({
    code: 78,
    output: expect.stringContaining('--env-file: /nowhere/souk.env cannot be read (ENOENT)'),
  });
  await rm(dataDir, { recursive: true, force: true });
});

test('a database that another user of the machine restored is reported, with the user to give it to', async ({
  skip,
}) => {
  const user = await findOtherUser();
  if (!user) return skip('the tests may not run a program as another user');
  const dataDir = await newDataDir();
  const db = await openDatabase({ databaseUrl: undefined, dataDir, log: createLog('silent'), migrations });
  await db.close();
  await giveFolder(dataDir, user);
  // a file that root writes in a folder of that user
  const written = join(dataDir, 'db', 'global', 'pg_control');
  await chown(written, 0, 0);
  await chmod(written, 0o600);
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()), MASTER_KEY: randomBytes(32).toString('base64url') };
  const started = await runToEnd(['apps/broker/src/main.ts'], env, user);
  expect(started.output).toMatch(
    new RegExp(
      String.raw`^Souk cannot start: The database in ${join(dataDir, 'db')} cannot be opened: the user (\S+) may not ` +
        String.raw`read and write ${written}\. Give the data folder to the user who runs Souk \(chown -R \1 ${dataDir}\), then start again\.\n$`,
    ),
  );
  const command = await runToEnd(['apps/broker/src/operator/souk.ts', 'manifest', 'list'], env, user);
  expect(command).toMatchObject({ code: started.code, output: expect.stringContaining(`read and write ${written}`) });
  await rm(dataDir, { recursive: true, force: true });
  return undefined;
});

test.each(['Ctrl+C', 'SIGTERM to every process'] as const)(
  '%s stops all, and reports no restart and no failure',
  async (how) => {
    const dataDir = await newDataDir();
    const product = await startProduct({
      dataDir,
      ownGroup: true, // they end while the broker still serves requests
      env: { LOG_LEVEL: 'info', DRAIN_GRACE_MS: '1500', HEALTH_INTERVAL_MS: '300' },
    });
    onTestFinished(() => void product.kill('SIGKILL'));
    await untilAllConnected(product.publicUrl);
    const { stdout } = await runToEnd(
      ['apps/broker/src/operator/souk.ts', 'token', 'create', '--email', 'ann@souk.test', '--name', 'stop'],
      { DATA_DIR: dataDir },
    );
    const client = await connectModern(`${product.publicUrl}/mcp`, stdout.trim());
    // a separate program, and a connection to a service
    for (const name of ['memory__read_graph', 'calendar__list_events'])
      expect((await client.callTool({ name, arguments: {} })).isError).toBeFalsy();
    const processes = await product.processes();
    expect(processes.length).toBeGreaterThan(4);
    const before = product.output().length;
    const exit = how === 'Ctrl+C' ? product.interrupt() : product.kill('SIGTERM');
    // like a supervisor that ends all processes of a service simultaneously: the broker's signal comes first, also on a
    // busy machine
    if (how !== 'Ctrl+C') {
      await waitUntil('the broker to begin', () => product.output().slice(before).includes('broker stopping'));
      for (const pid of processes.slice(1)) if (isAlive(pid)) process.kill(pid, 'SIGTERM');
    }
    expect(await exit).toBe(0);
    await waitUntil('every process to end', () => processes.every((pid) => !isAlive(pid)));
    const said = product.output().slice(before).trim().split('\n');
    expect(said.map((line) => JSON.parse(line).msg)).toEqual(['broker stopping', 'broker stopped']);
    await client.close();
    // nor is it stored: the next start shows everything as before
    const list = await runToEnd(['apps/broker/src/operator/souk.ts', 'manifest', 'list', '--json'], {
      DATA_DIR: dataDir,
    });
    const deployed = JSON.parse(list.stdout).servers.filter(
      (server: { deployed?: string }) => server.deployed !== undefined,
    );
    expect(deployed.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`)).toEqual(
      deployed.map(({ id }: { id: string }) => `${id} connected`),
    );
    expect(deployed).toHaveLength(9);
    await rm(dataDir, { recursive: true, force: true });
  },
);

const isAlive = (pid: number) => existsSync(`/proc/${pid}`);
