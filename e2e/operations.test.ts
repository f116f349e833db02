import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { freePort } from '../apps/broker/src/testing/free-port.ts';
import { newDataDir, runToEnd, startProduct } from './product.ts';

/** As an operator runs it: NODE_ENV=production, a company's own sign-in provider, figures for a monitoring system. */
test('in production the log tells start and stop, and who may sign in, without being asked; figures are on their own port', async () => {
  const [dataDir, metricsPort] = [await newDataDir(), await freePort()];
  const secret = 'canary-company-secret';
  const env = {
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
  };
  const product = await startProduct({ dataDir, env });
  const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  expect(await metrics.text()).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect(await product.kill('SIGTERM')).toBe(0);
  const output = product.output();
  expect(output).toContain('Sign in   with Acme');
  expect(output).toContain('Open to   acme.example');
  const lines = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Record<string, unknown> => JSON.parse(line));
  const of = (msg: string) => lines.filter((line) => line['msg'] === msg);
  expect(of('broker started')).toMatchObject([{ address: 'https://souk.example', open: 'acme.example' }]);
  expect(of('broker stopping')).toMatchObject([{ signal: 'SIGTERM' }]);
  expect(of('broker stopped')).toMatchObject([{ tookMs: expect.any(Number) }]);
  expect(output).not.toContain(secret);

  const taken = await runToEnd(['apps/broker/src/main.ts'], { ...env, DATA_DIR: dataDir, PORT: String(metricsPort) });
  expect(taken.output).toContain('METRICS_PORT must be another port than PORT');
  await rm(dataDir, { recursive: true, force: true });
}, 180_000);

test('what the operator set wrong is said in one line, without a stack', async () => {
  const dataDir = await newDataDir();
  const port = String(await freePort());
  const start = (env: NodeJS.ProcessEnv) =>
    runToEnd(['apps/broker/src/main.ts'], { DATA_DIR: dataDir, PORT: port, STDIO: 'off', LOG_LEVEL: 'error', ...env });
  // an address for documents (RFC 5737), which no machine has
  const metrics = { METRICS_HOST: '192.0.2.1', METRICS_PORT: String(await freePort()) };
  const [noFolder, noAddress] = await Promise.all([start({ DATA_DIR: 'package.json' }), start(metrics)]);
  expect(noFolder.code).toBe(78);
  expect(noFolder.output).toMatch(/^Souk cannot start: The configuration has 1 problem:\n {2}- DATA_DIR: .*\n$/);
  expect(noAddress.output).toBe('Souk cannot start: METRICS_HOST is no address of this machine.\n');
  await rm(dataDir, { recursive: true, force: true });
}, 60_000);
