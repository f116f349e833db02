import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { createOutgoing } from '#platform/http/outgoing/outgoing.ts';
import type { ResolveName } from '#platform/http/outgoing/name-lookups.ts';
import {
  startConnectProxy,
  startTlsFront,
  trustTestCertificate,
  type ConnectProxy,
} from '#testing/network/connect-proxy.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startWebSocketFixture, type WebSocketFixture } from '#testing/servers/websocket-fixture.ts';
import { withSignInFetch } from '../features/upstreams/sign-in/sign-in-fetch.ts';

const password = 'canary-proxy-password';
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('a picture')]);
const clientId = 'https://client.example/client.json';
/** A resolver that knows no names, as behind many proxies. */
const resolveNothing: ResolveName = (name, _options, callback) =>
  callback(Object.assign(new Error(`getaddrinfo EAI_AGAIN ${name}`), { code: 'EAI_AGAIN' }), []);

describe('a broker whose requests leave through a proxy', () => {
  const closing: (() => unknown)[] = [];
  let proxy: ConnectProxy;
  let mcp: HttpFixture;
  let sockets: WebSocketFixture;
  let app: TestApp;
  let variables: NodeJS.ProcessEnv;

  /** Publishes a plain server of this machine as https://client.example:{port}. */
  async function publish(port: number, plainPort: number): Promise<void> {
    const front = await startTlsFront(plainPort);
    closing.unshift(front.close);
    proxy.places.set(`client.example:${port}`, front.port);
  }

  beforeAll(async () => {
    closing.push(trustTestCertificate());
    proxy = await startConnectProxy(`souk:${password}`);
    closing.unshift(proxy.close);
    const web = await listenLocally(
      createServer((request, response) => {
        if (request.url === '/a.png') return response.writeHead(200, { 'content-type': 'image/png' }).end(png);
        response.setHeader('content-type', 'application/json');
        if (request.url === '/client.json') {
          return response.end(JSON.stringify({ client_id: clientId, redirect_uris: ['http://127.0.0.1/callback'] }));
        }
        if (request.url === '/.well-known/openid-configuration') {
          const issuer = 'https://client.example';
          return response.end(
            JSON.stringify({ issuer, authorization_endpoint: `${issuer}/in`, token_endpoint: `${issuer}/token` }),
          );
        }
        return response.writeHead(404).end('{}');
      }),
    );
    closing.unshift(web.close);
    mcp = await startHttpFixture();
    closing.unshift(() => mcp.close());
    sockets = await startWebSocketFixture();
    closing.unshift(() => sockets.close());
    await publish(443, web.port);
    await publish(8443, Number(new URL(mcp.url).port));
    await publish(8444, Number(sockets.address.split(':')[1]));
    const url = `http://souk:${password}@${proxy.host}`;
    variables = { HTTPS_PROXY: url, HTTP_PROXY: url };
    app = await startTestApp({ env: variables, resolve: resolveNothing });
    closing.unshift(() => app.stop());
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  test('says at the start what that means, and logs no password', () => {
    const line = app
      .logged()
      .split('\n')
      .find((one) => one.includes('requests leave through a proxy'));
    expect(line).toContain(`"https":"${proxy.url}"`);
    expect(line).toContain('for names that cannot be resolved here, the proxy alone decides what they reach');
  });

  test('reaches an HTTP server, including its event streams, and an icon', async () => {
    await deployManifest(app, {
      id: 'far',
      icon: 'https://client.example/a.png',
      connection: { type: 'http', url: 'https://client.example:8443/mcp' },
    });
    const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
    const client = await connectModern(`${app.publicUrl}/s/far/mcp`, token);
    const progress: number[] = [];
    const answer = await client.callTool(
      { name: 'slow', arguments: { steps: 3, everyMs: 20 } },
      { onprogress: ({ progress: done }) => progress.push(done) },
    );
    await client.close();
    expect(answer.isError ?? false).toBe(false);
    expect(progress).toEqual([1, 2, 3]);
    await waitUntil('the icon', () => app.catalogue.snapshot().byId.get('far')?.icon !== undefined);
    expect(proxy.asked).toEqual(expect.arrayContaining(['client.example:8443', 'client.example:443']));
    expect(mcp.seen.requests.every(({ headers }) => !('proxy-authorization' in headers))).toBe(true);
  });

  test('reaches a WebSocket server', async () => {
    await deployManifest(app, {
      id: 'socket',
      connection: { type: 'websocket', url: 'wss://client.example:8444/healthy' },
    });
    const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
    const client = await connectModern(`${app.publicUrl}/s/socket/mcp`, token);
    const answer = await client.callTool({ name: 'echo', arguments: { text: 'hi' } });
    await client.close();
    expect(JSON.stringify(answer.content)).toContain('hi');
    expect(proxy.asked).toContain('client.example:8444');
  });

  test("signs a client in with its metadata document, and contacts an upstream's authorization server", async () => {
    const before = app.logged().length;
    const client = await new ScriptedBrowser(app.publicUrl).signInMcpClient({ clientId });
    expect(client.accessToken).not.toBe('');
    expect(app.logged().slice(before)).not.toContain('could not be fetched');
    const outgoing = createOutgoing(readConfig(variables).outgoingProxy, resolveNothing);
    const address = { url: 'https://client.example:8443/mcp', allowAddresses: [], outgoing };
    const found = await withSignInFetch(address, (fetch) => fetch(clientId));
    expect(await found.json()).toMatchObject({ client_id: clientId });
  });

  test('refuses a client at a private address without contacting the proxy', async () => {
    const hosts = ['10.1.2.3', '169.254.169.254', 'intranet', 'metadata.internal'];
    for (const host of hosts) {
      const signedIn = new ScriptedBrowser(app.publicUrl).signInMcpClient({ clientId: `https://${host}/client.json` });
      await expect(signedIn).rejects.toThrow('stopped at 400');
    }
    expect(proxy.asked.filter((place) => hosts.some((host) => place.startsWith(`${host}:`)))).toEqual([]);
  });

  test('contacts the sign-in provider through it', async () => {
    const company = await startTestApp({
      env: {
        ...variables,
        OIDC_ISSUER: 'https://client.example',
        OIDC_CLIENT_ID: 'souk',
        OIDC_CLIENT_SECRET: 'secret',
        OIDC_NAME: 'Acme',
        ADMIN_EMAILS: 'ann@souk.test',
      },
      resolve: resolveNothing,
    });
    try {
      const before = proxy.asked.length;
      const answer = await fetch(`${company.publicUrl}/auth/oidc?return_to=/auth/success`, { redirect: 'manual' });
      expect(answer.headers.get('location')).toMatch(/^https:\/\/client\.example\/in\?/);
      expect(proxy.asked.slice(before)).toEqual(['client.example:443']);
    } finally {
      await company.stop();
    }
  });

  test('logs a request that the proxy refuses without its password', async () => {
    await deployManifest(
      app,
      { id: 'refused', connection: { type: 'http', url: 'https://refused.example/mcp' } },
      'disconnected',
    );
    expect(app.logged()).toContain('refuses a tunnel to refused.example:443');
    expect(app.logged()).not.toContain(password);
    expect(app.logged()).not.toContain(Buffer.from(`souk:${password}`).toString('base64'));
  });
});
