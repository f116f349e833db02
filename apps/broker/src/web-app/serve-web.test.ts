import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { freePort } from '#testing/network/free-port.ts';
import { getWithEncoding } from '#testing/people/get-with-encoding.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { precompressFiles } from './precompress-files.ts';

let app: TestApp;
let folder: string;
const largeScript = 'export const words = "a market of servers";\n'.repeat(100);

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'web-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(
    join(folder, 'index.html'),
    '<meta name="souk-config" content="{}"><title>Souk</title><div id="root"></div>',
  );
  await writeFile(join(folder, 'assets/index-1a2b.js'), 'export {};');
  await writeFile(join(folder, 'assets/large-1a2b.js'), largeScript);
  await precompressFiles(join(folder, 'assets'));
  await writeFile(join(folder, 'secret.txt'), 'not an asset');
  const port = await freePort();
  app = await startTestApp({
    webFolder: folder,
    env: {
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      BRAND_NAME: 'Bazaar "<1>',
      SUPPORT_EMAIL: 'help@souk.test',
      ADMIN_EMAILS: 'boss@souk.test',
    },
  });
  await deployManifest(app, { id: 'travel', connection: { type: 'http', url: 'http://127.0.0.1:9/mcp' } }, 'error');
});
afterAll(async () => {
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

const asBrowser = { headers: { accept: 'text/html,application/xhtml+xml' } };
const open = (path: string, init: RequestInit = asBrowser) => fetch(`${app.publicUrl}${path}`, init);

function settingsOf(html: string): Record<string, unknown> {
  const content = /content="([^"]*)"/.exec(html)?.[1] ?? '';
  const text = content.replaceAll(/&#(\d+);/g, (_match, code) => String.fromCharCode(Number(code)));
  return Object(JSON.parse(text));
}

test('the sign-in window page allows any opener, runs only the theme, and cannot be framed; other pages isolate openers', async () => {
  const shown = await open('/sign-in/window');
  expect(shown.status).toBe(200);
  expect(await shown.text()).toContain('Opening the sign-in page…');
  expect(shown.headers.get('content-security-policy')).toMatch(
    /default-src 'none'; script-src 'self';.*frame-ancestors 'none'/,
  );
  const policyOf = async (path: string) => (await open(path)).headers.get('cross-origin-opener-policy');
  for (const path of ['/sign-in/window', '/sign-in', '/auth/callback', '/auth/success', '/connect/callback']) {
    expect(await policyOf(path), path).toBe('unsafe-none');
  }
  for (const path of ['/', '/dashboard', '/connect/travel', '/service/travel']) {
    expect(await policyOf(path), path).toBe('same-origin-allow-popups');
  }
});

test('[CFG-10] [CFG-11] [GEN-33] the page of every screen contains the brand name and contacts for the app, as text', async () => {
  for (const path of ['/', '/marketplace?q=x', '/search', '/service/travel', '/dashboard', '/auth/callback?code=1']) {
    const answer = await open(path);
    const html = await answer.text();
    expect(answer.status, path).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(html).toMatch(/<title>([\w ]+ - )?Bazaar &#34;&#60;1&#62;<\/title>/);
    expect(settingsOf(html)).toEqual({
      brandName: 'Bazaar "<1>',
      supportEmail: 'help@souk.test',
      businessEmail: 'business@souk.test',
      contactEmail: 'hello@souk.test',
      publicUrl: app.publicUrl,
      payments: 'sandbox',
      legal: ['terms', 'privacy', 'refunds'],
      welcomeCredits: 0,
    });
  }
});

test('[GEN-27] one origin serves the web app, the API, the MCP endpoint and the OAuth server', async () => {
  const origin = app.publicUrl;
  expect(settingsOf(await (await open('/')).text())).toMatchObject({ publicUrl: origin });
  expect(await (await open('/mcp/info', {})).json()).toMatchObject({ link: `${origin}/mcp` });
  const mcp = await open('/mcp', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  const [, metadata = ''] = /resource_metadata="([^"]*)"/.exec(mcp.headers.get('www-authenticate') ?? '') ?? [];
  expect([mcp.status, new URL(metadata).origin]).toEqual([401, origin]);
  expect(await (await fetch(metadata)).json()).toMatchObject({
    resource: `${origin}/mcp`,
    authorization_servers: [origin],
  });
  const server = Object(await (await open('/.well-known/oauth-authorization-server', {})).json());
  expect(server.issuer).toBe(origin);
  const endpoints = Object.entries(server).filter(([name]) => /(_endpoint|_uri)$/.test(name));
  expect(endpoints.map(([name]) => name)).toEqual(
    expect.arrayContaining(['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'jwks_uri']),
  );
  for (const [name, address] of endpoints) expect(new URL(String(address)).origin, name).toBe(origin);
});

test('[GEN-32] the host and the e-mail addresses of the specification come from the configuration', async () => {
  expect(new URL(app.publicUrl).hostname).toBe('127.0.0.1');
  expect(settingsOf(await (await open('/contact')).text())).toMatchObject({
    publicUrl: app.publicUrl,
    supportEmail: 'help@souk.test',
  });
  const roleOf = async (email: string) => {
    const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
    const answer = await open('/v2/user/profile', { headers: { authorization: `Bearer ${accessToken}` } });
    return Object(await answer.json()).role;
  };
  expect([await roleOf('boss@souk.test'), await roleOf('admin@souk.test')]).toEqual(['admin', 'user']);
});

test('an unknown address answers 404, with the page for a browser, the JSON error for a program, and the link for a client', async () => {
  for (const path of ['/no/such/screen', '/PLANS', '/service/%E0%A4%A', '/%']) {
    const page = await open(path);
    expect([page.status, page.headers.get('content-type')], path).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy'), path).toContain("script-src 'self'");
  }
  expect(await (await open('/service/%E0%A4%A', {})).json()).toMatchObject({ code: 'invalid_request' });
  const json = await open('/no/such/screen', {});
  expect([json.status, await json.json()]).toEqual([404, { success: false, code: 'not_found', message: 'Not found' }]);
  expect((await open('/no/such/screen', { method: 'POST', ...asBrowser })).headers.get('content-type')).toContain(
    'json',
  );
  const asClient = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const client = await open('/', { method: 'POST', headers: asClient, body: '{"jsonrpc":"2.0","id":3,"method":"x"}' });
  const message = `Unknown server: no MCP server is at this address. The link is ${app.publicUrl}/mcp`;
  expect([client.status, await client.json()]).toEqual([
    404,
    { jsonrpc: '2.0', id: 3, error: { code: -32001, message } },
  ]);
});

test('an address with a trailing slash redirects to the one without, with its query', async () => {
  const location = async (path: string) => {
    const answer = await fetch(`${app.publicUrl}${path}`, { redirect: 'manual' });
    return [answer.status, answer.headers.get('location')];
  };
  expect(await location('/service/travel/?tab=a/&b')).toEqual([308, '/service/travel?tab=a/&b']);
  expect(await location('/plans/')).toEqual([308, '/plans']);
  expect((await location('/'))[0]).toBe(200);
});

test('assets are cached permanently, and no other file is served', async () => {
  const asset = await open('/assets/index-1a2b.js');
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(asset.headers.get('content-type')).toContain('javascript');
  for (const path of ['/assets/none.js', '/assets/..%2Fsecret.txt', '/assets/../secret.txt', '/secret.txt']) {
    const answer = await open(path, {});
    expect(answer.status, path).toBe(404);
    expect(await answer.text()).not.toContain('not an asset');
  }
});

test('[GEN-13] the page of an unknown service, and /service without an id, answer 404 with the page of the web app', async () => {
  for (const [path, status] of [
    ['/service/travel', 200],
    ['/service/travel?tab=tools', 200],
    ['/service/nothing', 404],
    ['/service/TRAVEL', 404],
    ['/service/%00', 404],
    ['/service', 404],
    ['/service/', 404],
  ] as const) {
    const answer = await open(path);
    expect(answer.status, path).toBe(status);
    expect(await answer.text(), path).toContain('<div id="root">');
  }
});

test('assets are sent as compressed at build time, to clients that accept it', async () => {
  const path = `${app.publicUrl}/assets/large-1a2b.js`;
  const plain = await getWithEncoding(path, undefined);
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.body.toString()).toBe(largeScript);
  const tags = new Set([plain.headers.etag]);
  for (const [accepted, encoding, decode] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ] as const) {
    const answer = await getWithEncoding(path, accepted);
    expect(answer.headers['content-encoding'], accepted).toBe(encoding);
    expect(answer.headers.vary, accepted).toContain('accept-encoding');
    expect(answer.headers['content-type']).toContain('javascript');
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    expect(answer.body.length).toBeLessThan(largeScript.length / 5);
    expect(decode(answer.body).toString()).toBe(largeScript);
    tags.add(answer.headers.etag);
  }
  expect(tags.size, 'a tag per encoding').toBe(3);
});

test('the page is compressed too, and not sent again to a browser that has it', async () => {
  const first = await getWithEncoding(`${app.publicUrl}/marketplace`, 'gzip, br');
  expect(first.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
  expect(first.headers['content-length']).toBe(String(first.body.length));
  expect(brotliDecompressSync(first.body).toString()).toContain('<div id="root">');
  const etag = first.headers.etag ?? '';
  const again = await getWithEncoding(`${app.publicUrl}/marketplace`, 'gzip, br', {
    'if-none-match': `"other", ${etag}`,
  });
  expect([again.status, again.body.length]).toEqual([304, 0]);
  const missing = await getWithEncoding(`${app.publicUrl}/service/nothing`, 'br', { 'if-none-match': etag });
  expect(missing.status, 'a page that does not exist stays 404').toBe(404);
});
