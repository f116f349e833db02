import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startOAuthFixture } from '#features/upstreams/sign-in/testing/oauth-fixture.ts';
import { signInPerson } from '#features/upstreams/sign-in/testing/person.ts';
import { signInAt, vaultManifest } from '#features/upstreams/sign-in/testing/vault.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '#testing/start-app.ts';
import { startWebSocketFixture } from '#testing/servers/websocket-fixture.ts';

const production = {
  NODE_ENV: 'production',
  PAYMENTS: 'off',
  PUBLIC_URL: 'https://souk.example',
  GOOGLE_CLIENT_ID: 'id',
  GOOGLE_CLIENT_SECRET: 'secret',
  HOST: '127.0.0.1',
};

let catalogue: string;
let closing: (() => Promise<unknown>)[];
beforeEach(async () => {
  catalogue = await mkdtemp(join(temporaryRoot(), 'private-'));
  closing = [() => rm(catalogue, { recursive: true, force: true })];
  await Promise.all(['deployed', 'staged'].map((name) => mkdir(join(catalogue, name))));
});
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
});

async function opened<T extends { close(): Promise<unknown> }>(fixture: Promise<T>): Promise<T> {
  const server = await fixture;
  closing.push(() => server.close());
  return server;
}

async function start(env: NodeJS.ProcessEnv, options: TestAppOptions = {}): Promise<TestApp> {
  const app = await startTestApp({ ...options, env, paths: { catalogue } });
  closing.push(() => app.stop());
  await app.serversAsked;
  return app;
}

function deploy(id: string, manifest: object, folder = join(catalogue, 'deployed')): Promise<void> {
  const common = { name: id, serviceType: 'mcp', version: '1.0.0', description: 'A server.', category: 'data' };
  return writeFile(join(folder, `${id}.json`), JSON.stringify({ id, ...common, ...manifest }));
}

const statusOf = (app: TestApp, id: string) => app.catalogue.snapshot().byId.get(id)?.status;

test('in production, allowed private addresses are reached with plain http and ws, and others are refused', async () => {
  const [http, socket] = [await opened(startHttpFixture()), await opened(startWebSocketFixture())];
  const localhost = http.url.replace('127.0.0.1', 'localhost');
  await deploy('by-port', { connection: { type: 'http', url: http.url } });
  await deploy('by-network', { connection: { type: 'websocket', url: socket.url('healthy') } });
  // it may resolve into the network, but into another one too: the guard refuses it
  await deploy('by-name', { connection: { type: 'http', url: localhost.replace(/:\d+/, ':1') } });
  // the operator's own manifest: for bundled ones it is not reported that they may not run here
  const own = join(catalogue, 'own');
  await mkdir(own);
  await deploy('elsewhere', { connection: { type: 'http', url: 'http://10.9.8.7:8080/mcp' } }, own);
  const socketPort = socket.address.split(':')[1];
  const app = await start({
    ...production,
    CATALOGUE_DIR: own,
    UPSTREAM_ALLOW_ADDRESSES: `${http.address}, 127.0.0.0/8:${socketPort}, 192.168.0.0/16`,
  });
  expect(statusOf(app, 'by-port')).toBe('connected');
  expect(statusOf(app, 'by-network')).toBe('connected');
  expect(app.catalogue.snapshot().byId.get('by-name')).toMatchObject({
    status: 'error',
    statusDetail: "The server's address is not allowed here",
  });
  expect(app.logged()).toContain('To allow it, add localhost:1 to UPSTREAM_ALLOW_ADDRESSES.');
  expect(statusOf(app, 'elsewhere')).toBeUndefined();
  expect(app.logged()).toContain('UPSTREAM_ALLOW_ADDRESSES=10.9.8.7:8080');
});

test("users sign in at the company's OAuth server on an allowed private address", async () => {
  const fixture = await opened(startOAuthFixture());
  await deploy('vault', { ...vaultManifest(fixture), isolation: 'perUser' });
  const app = await start({ UPSTREAM_ALLOW_ADDRESSES: '127.0.0.0/8' });
  const ann = await signInPerson(app.publicUrl, 'ann@souk.test');
  await signInAt(ann, fixture);
  const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  const answer = await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', {
    name: 'vault__echo',
    arguments: { text: 'hi' },
  });
  expect(answer.body.result).toMatchObject({ content: [{ text: 'hi' }] });
});
