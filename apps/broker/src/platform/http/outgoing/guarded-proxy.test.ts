import { createServer, type Server } from 'node:http';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  startConnectProxy,
  startTlsFront,
  trustTestCertificate,
  type ConnectProxy,
} from '#testing/network/connect-proxy.ts';
import { freePort } from '#testing/network/free-port.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { readConfig } from '../../config.ts';
import { RefusedAddressError } from './address-guard.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { createGuardedDispatcher } from './guarded-fetch.ts';
import { createOutgoing } from './outgoing.ts';
import type { ResolveName } from './name-lookups.ts';
import { createOutgoingDispatcher } from './outgoing-dispatcher.ts';

const password = 'canary-proxy-password';
/** A resolver that knows these names, and never answers for hang.example. */
const names: Record<string, string> = {
  'client.example': '93.184.215.14',
  'inside.example': '10.1.2.3',
  'both.example': '93.184.215.14,10.1.2.3',
  'own.example': '127.0.0.1',
  localhost: '127.0.0.1',
};
const resolve: ResolveName = (name, _options, callback) => {
  const found = names[name];
  if (name === 'hang.example') return;
  if (found === undefined)
    callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), []);
  else
    callback(
      null,
      found.split(',').map((address) => ({ address, family: 4 })),
    );
};

describe('a guarded dispatcher behind a proxy', () => {
  let server: Server;
  let plain: { port: number; close(): Promise<void> };
  let front: { port: number; close(): Promise<void> };
  let proxy: ConnectProxy;
  let distrust: () => void;
  beforeAll(async () => {
    distrust = trustTestCertificate();
    server = createServer((_, response) => response.end('reached'));
    plain = await listenLocally(server);
    front = await startTlsFront(plain.port);
    proxy = await startConnectProxy(`souk:${password}`);
    proxy.places.set('client.example:443', front.port);
    for (const host of ['client.example', 'unknown.example', 'hang.example', '93.184.215.14']) {
      proxy.places.set(`${host}:80`, plain.port);
    }
  });
  beforeEach(() => void proxy.asked.splice(0));
  afterAll(async () => {
    distrust();
    await proxy.close();
    await front.close();
    await plain.close();
  });

  type Options = { env?: NodeJS.ProcessEnv; allow?: string[]; publicNeedsTls?: boolean; watch?: ConnectionWatch };
  async function ask(address: string, { env, allow = [], publicNeedsTls, watch }: Options = {}): Promise<string> {
    const url = `http://souk:${password}@${proxy.host}`;
    const { outgoingProxy } = readConfig({ HTTPS_PROXY: url, HTTP_PROXY: url, ...env });
    const outgoing = createOutgoing(outgoingProxy, resolve);
    const dispatcher = createGuardedDispatcher({
      allowAddresses: allow,
      publicNeedsTls,
      outgoing,
      watch,
      connectTimeoutMs: 60_000,
    });
    try {
      return await (await request(address, { dispatcher })).body.text();
    } finally {
      await dispatcher.destroy();
    }
  }

  test.each([
    ['https, with TLS to the origin itself', 'https://client.example/', 'client.example:443'],
    ['plain http, in a tunnel', 'http://client.example/', 'client.example:80'],
    ['a public literal', 'http://93.184.215.14/', '93.184.215.14:80'],
    ['an unknown name: the proxy decides', 'http://unknown.example/', 'unknown.example:80'],
    ['a name for which the resolver does not answer', 'http://hang.example/', 'hang.example:80'],
  ])('uses the proxy for %s', async (_, address, place) => {
    expect(await ask(address)).toBe('reached');
    expect(proxy.asked).toEqual([place]);
  });

  /** Returns what a connection to an address reports about itself, also if it is refused. */
  async function toldOf(address: string, options: Options = {}): Promise<unknown[]> {
    const told: unknown[] = [];
    const watch: ConnectionWatch = {
      resolved: (addresses) => void told.push(['resolved', ...addresses]),
      allowed: (rule) => void told.push(['allowed', rule]),
      connected: ({ address: place, proxy: by }) => void told.push(['connected', place, by]),
      secured: ({ issuer }) => void told.push(['secured', issuer]),
    };
    await ask(address, { ...options, watch }).catch(() => {});
    return told;
  }

  test('reports what a name resolves to, what lets it pass, and that it uses the proxy', async () => {
    const by = `http://${proxy.host}`;
    expect(await toldOf('https://client.example/')).toEqual([
      ['resolved', '93.184.215.14'],
      ['allowed', 'public'],
      ['connected', 'client.example:443', by],
      ['secured', 'client.example'],
    ]);
    expect(await toldOf('http://unknown.example/')).toEqual([
      ['resolved'],
      ['allowed', 'proxy'],
      ['connected', 'unknown.example:80', by],
    ]);
    expect(await toldOf('https://inside.example/')).toEqual([['resolved', '10.1.2.3']]);
    const allow = [`own.example:${plain.port}`];
    expect(await toldOf(`http://own.example:${plain.port}/`, { allow })).toEqual([
      ['resolved', '127.0.0.1'],
      ['allowed', { entry: allow[0], by: 'operator' }],
      ['connected', '127.0.0.1', undefined],
    ]);
  });

  test.each([
    ['a name that resolves to a private address', 'https://inside.example/'],
    ['a name with one private address among its own', 'https://both.example/'],
    ['a private literal', 'http://10.1.2.3/'],
    ['a private literal in another spelling', 'http://0xa010203/'],
    ['the metadata address of clouds', 'http://169.254.169.254/'],
    ['a loopback literal', 'http://127.0.0.1/'],
    ['localhost', 'http://localhost/'],
    ['an unknown single word', 'https://intranet/'],
    ['an unknown name of an inner network', 'https://metadata.internal/'],
  ])('refuses %s, and does not contact the proxy', async (_, address) => {
    await expect(ask(address)).rejects.toBeInstanceOf(RefusedAddressError);
    expect(proxy.asked).toEqual([]);
  });

  test('if public addresses need TLS, an unknown name needs it too', async () => {
    await expect(ask('http://unknown.example/', { publicNeedsTls: true })).rejects.toThrow(
      'must be reached with https',
    );
    expect(proxy.asked).toEqual([]);
  });

  test.each([
    ['by host and port', () => [`own.example:${plain.port}`]],
    ['by network', () => ['127.0.0.0/8']],
  ])('connects directly to what the operator allows %s', async (_, allow) => {
    expect(await ask(`http://own.example:${plain.port}/`, { allow: allow() })).toBe('reached');
    expect(proxy.asked).toEqual([]);
  });

  test('connects directly to what NO_PROXY names, by the same rules', async () => {
    const env = { NO_PROXY: 'other.example, .inside.example own.example' };
    await expect(ask(`http://own.example:${plain.port}/`, { env })).rejects.toBeInstanceOf(RefusedAddressError);
    await expect(ask('https://inside.example/', { env })).rejects.toBeInstanceOf(RefusedAddressError);
    // the proxy would reach it, and nothing here knows the name
    await expect(ask('http://unknown.example/', { env: { NO_PROXY: 'unknown.example' } })).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
    expect(proxy.asked).toEqual([]);
  });

  test.each(['127.0.0.1', 'localhost'])(
    "an operator's address on this machine (%s) does not use the proxy",
    async (host) => {
      const url = `http://souk:${password}@${proxy.host}`;
      const { outgoingProxy } = readConfig({ HTTPS_PROXY: url, HTTP_PROXY: url });
      const dispatcher = createOutgoingDispatcher(createOutgoing(outgoingProxy));
      proxy.places.set(`${host}:${plain.port}`, plain.port);
      const answer = await request(`http://${host}:${plain.port}/`, { dispatcher });
      expect(await answer.body.text()).toBe('reached');
      expect(proxy.asked).toEqual([]);
      await dispatcher.destroy();
    },
  );

  test('without HTTP_PROXY plain http connects directly', async () => {
    const env = { HTTP_PROXY: '' };
    expect(await ask(`http://127.0.0.1:${plain.port}/`, { env, allow: [`127.0.0.1:${plain.port}`] })).toBe('reached');
    expect(await ask('https://client.example/', { env })).toBe('reached');
    expect(proxy.asked).toEqual(['client.example:443']);
  });

  test.each([
    [
      'refuses the credentials',
      () => `http://souk:${password}x@${proxy.host}`,
      'requires other credentials (HTTP 407)',
    ],
    [
      'refuses the place',
      () => `http://souk:${password}@${proxy.host}`,
      'refuses a tunnel to both.test:443 (HTTP 403)',
    ],
    ['is away', async () => `http://souk:${password}@127.0.0.1:${await freePort()}`, 'ECONNREFUSED'],
  ])('a proxy that %s fails the request, and no message contains its password', async (_, url, reason) => {
    const failure = await ask('https://both.test/', { env: { HTTPS_PROXY: await url() } }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ name: 'ProxyError', message: expect.stringContaining(reason) });
    expect(JSON.stringify(failure) + String(failure) + String(failure instanceof Error && failure.stack)).not.toContain(
      password,
    );
  });

  test('a certificate of another host is refused in the tunnel', async () => {
    proxy.places.set('wrong.example:443', front.port);
    await expect(ask('https://wrong.example/')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });
});
