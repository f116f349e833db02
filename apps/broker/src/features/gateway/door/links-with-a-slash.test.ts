import { UnauthorizedError as UnauthorizedV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, connectModern, connectV1, postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { initializeRequest, openSession } from '#testing/people/open-session.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { ScriptedClientProvider } from '#testing/people/scripted-client-provider.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

// Users paste the link with a trailing slash.

let app: TestApp;
let fixture: HttpFixture;
let token: string;
beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  await deployManifest(app, { id: 'free', connection: { type: 'http', url: fixture.url } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const read = async (path: string): Promise<unknown> => (await fetch(app.publicUrl + path)).json();
const links = [
  ['/mcp/', 'free__echo'],
  ['/s/free/mcp/', 'echo'],
] as const;

test.each(links)(
  '%s challenges like the link without the slash, and its documents name it as it was requested',
  async (path) => {
    const answer = await postRaw(app.publicUrl + path, initializeRequest());
    expect(answer.status).toBe(401);
    const metadata = `/.well-known/oauth-protected-resource${path}`;
    expect(answer.headers.get('www-authenticate')).toContain(`resource_metadata="${app.publicUrl}${metadata}"`);
    const plain = await read(metadata.slice(0, -1));
    expect(await read(metadata)).toEqual({ ...Object(plain), resource: app.publicUrl + path });
    for (const name of ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration']) {
      expect(await read(`/.well-known/${name}/`), name).toEqual(await read(`/.well-known/${name}`));
    }
    const page = await fetch(app.publicUrl + path, { headers: { accept: 'text/html' } });
    expect([page.status, await page.text()]).toEqual([401, expect.stringContaining('This link is for your AI client')]);
  },
);

test.each(links)('every client signs in with %s, from its first 401 to a call', async (path, name) => {
  const url = new URL(app.publicUrl + path);
  const browser = new ScriptedBrowser(app.publicUrl);
  await browser.signInWeb({ email: 'ann@souk.test' });
  const info = { name: 'slash', version: '1' };
  const call = { name, arguments: { text: 'hi' } };
  const said = expect.objectContaining({ content: [{ type: 'text', text: 'hi' }] });

  const v1 = new ScriptedClientProvider(browser, 'http://127.0.0.1:53991/callback');
  const transportV1 = () => new TransportV1(url, { authProvider: v1 });
  const first = transportV1();
  await expect(new ClientV1(info).connect(first)).rejects.toBeInstanceOf(UnauthorizedV1);
  expect(v1.authorizationUrl?.searchParams.get('resource')).toBe(url.href);
  await first.finishAuth(v1.callback?.searchParams.get('code') ?? '');
  const clientV1 = new ClientV1(info);
  await clientV1.connect(transportV1());
  expect(await clientV1.callTool(call)).toEqual(said);
  await clientV1.close();

  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    const v2 = new ScriptedClientProvider(browser, 'http://127.0.0.1:53992/callback');
    const transport = () => new StreamableHTTPClientTransport(url, { authProvider: v2 });
    const opening = transport();
    await expect(new Client(info, { versionNegotiation: { mode } }).connect(opening)).rejects.toBeInstanceOf(
      UnauthorizedError,
    );
    await opening.finishAuth(v2.callback?.searchParams ?? new URLSearchParams());
    const client = new Client(info, { versionNegotiation: { mode } });
    await client.connect(transport());
    expect(await client.callTool(call)).toEqual(said);
    await client.close();
    // the same sign-in, and the same session, with the other spelling
    const plain = await postModern(url.href.slice(0, -1), v2.token(), 'tools/list');
    expect(plain.status).toBe(200);
  }
});

test.each(links)(
  'a personal token works at %s for each era, and a session is the same with both spellings',
  async (path, name) => {
    const url = app.publicUrl + path;
    for (const connect of [connectV1, connectLegacy, connectModern]) {
      const client = await connect(url, token);
      const { tools } = await client.listTools();
      expect(tools.map((tool) => tool.name)).toContain(name);
      expect(await client.callTool({ name, arguments: { text: 'hi' } })).toMatchObject({ content: [{ text: 'hi' }] });
      await client.close();
    }
    const session = await openSession(url, token, { revision: '2025-06-18' });
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    for (const at of [url, url.slice(0, -1)]) expect((await postRaw(at, list, session)).status).toBe(200);
  },
);
