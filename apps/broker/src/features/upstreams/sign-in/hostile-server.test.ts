import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { cookieName } from './browser-cookie.ts';
import { startOAuthFixture, type Mischief, type OAuthFixture } from './testing/oauth-fixture.ts';
import { signInPerson, type TestPerson } from './testing/person.ts';
import { startVault, vaultManifest, type Vault } from './testing/vault.ts';

let fixture: Vault['fixture'];
let app: Vault['app'];
let ann: Vault['ann'];
let token: string;
let close: Vault['close'];
let elsewhere: OAuthFixture;
let bob: TestPerson;

beforeAll(async () => {
  elsewhere = await startOAuthFixture();
  // Both are reachable: what is refused below is refused for another reason than its address.
  ({ fixture, app, ann, token, close } = await startVault({ allowAddresses: [elsewhere.address] }));
  bob = await signInPerson(app.publicUrl, 'bob@souk.test');
});
afterEach(async () => {
  fixture.mischief = {};
  elsewhere.mischief = {};
  await ann.call('DELETE', `/api/users/${ann.userId}/upstream-connections/vault`);
  if (app.catalogue.snapshot().byId.get('vault')?.manifest.version !== '1.0.0')
    await app.catalogue.deploy('vault', '1.0.0');
});
afterAll(async () => {
  await close?.();
  await elsewhere?.close();
});

const start = async (person = ann) => (await person.call('POST', '/mcp/vault/enable')).body;
const finish = (person: TestPerson, back: URLSearchParams, headers: Record<string, string> = {}) =>
  person.call('POST', '/mcp/oauth/callback', Object.fromEntries(back), headers);

const at = (path: string, answer: (response: ServerResponse) => void): Mischief => ({
  intercept: (request, response) => {
    if (request.url !== path) return false;
    answer(response);
    return true;
  },
});
const metadataPath = '/.well-known/oauth-authorization-server';
const resourcePath = '/.well-known/oauth-protected-resource/mcp';
const json = { 'content-type': 'application/json' };

const lies: [string, () => Mischief][] = [
  ['claims another issuer', () => ({ serverMetadata: (m) => ({ ...m, issuer: elsewhere.origin }) })],
  [
    'has its token endpoint elsewhere',
    () => ({ serverMetadata: (m) => ({ ...m, token_endpoint: `${elsewhere.origin}/token` }) }),
  ],
  [
    'has its authorization endpoint elsewhere',
    () => ({ serverMetadata: (m) => ({ ...m, authorization_endpoint: 'https://accounts.example/authorize' }) }),
  ],
  [
    'sends people to plain http',
    () => ({ serverMetadata: (m) => ({ ...m, authorization_endpoint: 'http://accounts.example/authorize' }) }),
  ],
  [
    'sends people to a script',
    () => ({ serverMetadata: (m) => ({ ...m, authorization_endpoint: 'javascript:alert(1)//' }) }),
  ],
  [
    'sends people to a file',
    () => ({ serverMetadata: (m) => ({ ...m, authorization_endpoint: 'file:///etc/passwd' }) }),
  ],
  [
    'revokes elsewhere',
    () => ({ serverMetadata: (m) => ({ ...m, revocation_endpoint: `${elsewhere.origin}/revoke` }) }),
  ],
  [
    'offers no PKCE with S256',
    () => ({ serverMetadata: (m) => ({ ...m, code_challenge_methods_supported: ['plain'] }) }),
  ],
  [
    'names an authorization server of others, which does not know it',
    () => {
      elsewhere.mischief.serverMetadata = (m) => ({ ...m, protected_resources: [elsewhere.url] });
      return { resourceMetadata: (m) => ({ ...m, authorization_servers: [elsewhere.origin] }) };
    },
  ],
  ['describes another resource', () => ({ resourceMetadata: (m) => ({ ...m, resource: elsewhere.url }) })],
  [
    'names an issuer that is no https address',
    () => ({ resourceMetadata: (m) => ({ ...m, authorization_servers: ['http://169.254.169.254'] }) }),
  ],
  [
    'names an issuer that is not public',
    () => ({ resourceMetadata: (m) => ({ ...m, authorization_servers: ['https://127.0.0.1:1'] }) }),
  ],
  [
    'redirects its metadata',
    () => at(metadataPath, (r) => r.writeHead(302, { location: `${elsewhere.origin}${metadataPath}` }).end()),
  ],
  [
    'redirects the metadata of its resource',
    () => at(resourcePath, (r) => r.writeHead(307, { location: elsewhere.origin + resourcePath }).end()),
  ],
  [
    'answers without end',
    () => at(metadataPath, (r) => r.writeHead(200, json).end(`{"issuer":"${'x'.repeat(300_000)}"}`)),
  ],
  ['answers with a page', () => at(metadataPath, (r) => r.writeHead(200, json).end('<html>'))],
  ['hangs up', () => at(metadataPath, (r) => r.destroy())],
  [
    'names metadata of another origin in its challenge',
    () =>
      at('/mcp', (r) =>
        r.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${elsewhere.origin}${resourcePath}"` }).end(),
      ),
  ],
  ['refuses every registration', () => at('/register', (r) => r.writeHead(403, json).end('{}'))],
];

test.each(lies)('a server that %s starts no sign-in, and no other server is contacted', async (_name, mischief) => {
  await app.db.query('delete from upstream_registrations');
  fixture.mischief = mischief();
  const asked = elsewhere.seen.length + elsewhere.tokenRequests.length + elsewhere.registrations.length;
  const answer = await ann.call('POST', '/mcp/vault/enable');
  expect(answer).toMatchObject({ status: 502, body: { success: false, code: 'sign_in_unavailable' } });
  expect(String(answer.body['message'])).toMatch(/^You cannot sign in to vault right now: /);
  expect(answer.body).not.toHaveProperty('authUrl');
  expect(elsewhere.seen.length + elsewhere.tokenRequests.length + elsewhere.registrations.length).toBe(asked);
});

test('a response that names another issuer, or none although one was promised, is refused before the code is used', async () => {
  for (const iss of [elsewhere.origin, undefined]) {
    const { authUrl } = await start();
    const back = await fixture.allow(String(authUrl));
    if (iss === undefined) back.delete('iss');
    else back.set('iss', iss);
    const before = fixture.tokenRequests.length;
    expect(await finish(ann, back)).toMatchObject({ status: 502, body: { code: 'sign_in_failed' } });
    expect(fixture.tokenRequests).toHaveLength(before);
  }
});

test("an authorization endpoint's own parameters are kept, except those that we set", async () => {
  const own =
    'tenant=7&client_id=evil&redirect_uri=https%3A%2F%2Fevil.example&state=x&scope=all&resource=y&code_challenge=z';
  fixture.mischief.serverMetadata = (m) => ({ ...m, authorization_endpoint: `${fixture.origin}/authorize?${own}` });
  const { searchParams } = new URL(String((await start()).authUrl));
  expect(searchParams.get('tenant')).toBe('7');
  for (const name of 'client_id redirect_uri state scope resource code_challenge'.split(' ')) {
    expect(searchParams.getAll(name), name).toHaveLength(1);
  }
  expect(searchParams.toString()).not.toMatch(/evil|=x&|=all&|=y&|=z&/);
  // slashes of a parameter are encoded with three characters
  const long = `${fixture.origin}/authorize?x=${'/'.repeat(1900)}`;
  fixture.mischief.serverMetadata = (m) => ({ ...m, authorization_endpoint: long });
  const scopes = Array.from({ length: 30 }, (_, n) => `scope-${n}-${'x'.repeat(100)}`).join(' ');
  fixture.mischief.intercept = (request, response) => {
    if (request.url !== '/mcp') return false;
    const metadata = `resource_metadata="${fixture.origin}${resourcePath}"`;
    response.writeHead(401, { 'www-authenticate': `Bearer ${metadata}, scope="${scopes}"` }).end();
    return true;
  };
  expect((await start()).message).toBe('You cannot sign in to vault right now: its sign-in address is too long.');
});

test('a revocation runs in the background, and has a time limit', async () => {
  const { authUrl } = await start();
  expect(await finish(ann, await fixture.allow(String(authUrl)))).toMatchObject({ status: 200 });
  const asked: IncomingMessage[] = [];
  const ended: unknown[] = [];
  fixture.mischief.intercept = (request, response) => {
    if (request.url !== '/revoke') return false;
    asked.push(request);
    response.on('close', () => ended.push(response.writableFinished));
    return true;
  };
  const path = `/api/users/${ann.userId}/upstream-connections/vault`;
  expect(await ann.call('DELETE', path)).toMatchObject({ status: 200 });
  expect(ended).toEqual([]);
  // the first one times out, and no time is left for the second
  await waitUntil('the revocation to end', () => ended.length > 0);
  expect([asked.length, ended]).toEqual([1, [false]]);
});

test('an authorization server without the iss parameter is recognized by the callback address that it uses', async () => {
  fixture.mischief.serverMetadata = (m) => ({ ...m, authorization_response_iss_parameter_supported: undefined });
  fixture.mischief.redirect = (back) => back.delete('iss');
  for (const server of ['another', undefined]) {
    const { authUrl } = await start();
    const back = await fixture.allow(String(authUrl));
    expect(back.get('server')).toBe('vault');
    // the code belongs to the sign-in at another server, with the state of this one
    if (server === undefined) back.delete('server');
    else back.set('server', server);
    const before = fixture.tokenRequests.length;
    expect(await finish(ann, back)).toMatchObject({ status: 502, body: { code: 'sign_in_failed' } });
    expect(fixture.tokenRequests).toHaveLength(before);
  }
  const { authUrl } = await start();
  expect(await finish(ann, await fixture.allow(String(authUrl)))).toMatchObject({ status: 200 });
  expect(fixture.tokenRequests.at(-1)?.get('redirect_uri')).toBe(`${app.publicUrl}/connect/callback?server=vault`);
});

test("a wrong state, another user, another browser and a foreign page finish no sign-in, and the user's own still works", async () => {
  const { authUrl } = await start();
  const back = await fixture.allow(String(authUrl));
  const before = fixture.tokenRequests.length;
  const expired = { status: 400, body: { code: 'sign_in_expired' } };
  const wrong = new URLSearchParams(back);
  wrong.set('state', 'made-up');
  expect(await finish(ann, wrong)).toMatchObject(expired);
  const secretName = cookieName(back.get('state') ?? '');
  const secret = ann.browser.cookie(secretName) ?? '';
  expect(secret).toHaveLength(43);
  bob.browser.setCookie(secretName, secret);
  expect(await finish(bob, back)).toMatchObject(expired);
  const otherBrowser = await signInPerson(app.publicUrl, 'ann@souk.test');
  for (const wrongSecret of [undefined, 'A'.repeat(43)]) {
    if (wrongSecret !== undefined) otherBrowser.browser.setCookie(secretName, wrongSecret);
    expect(await finish(otherBrowser, back)).toMatchObject(expired);
  }
  expect(await finish(ann, back, { origin: elsewhere.origin })).toMatchObject({ status: 403 });
  expect(fixture.tokenRequests).toHaveLength(before);
  expect(await finish(ann, back)).toMatchObject({ status: 200 });
  expect(await finish(ann, back)).toMatchObject(expired);
});

test('the user reads why when they declined or the server refused', async () => {
  for (const [error, text] of [
    ['access_denied', 'You did not allow access to vault.'],
    ['server_error', 'vault refused the sign-in (server_error).'],
  ] as const) {
    const { authUrl } = await start();
    const state = new URL(String(authUrl)).searchParams.get('state') ?? '';
    const answer = await finish(ann, new URLSearchParams({ state, error, iss: fixture.origin }));
    expect(answer).toMatchObject({ status: 400, body: { code: 'sign_in_refused', message: text } });
  }
});

test.each<[string, Mischief]>([
  ['without an access token', { tokens: (honest) => ({ ...honest, access_token: undefined }) }],
  ['by a redirect', at('/token', (response) => response.writeHead(307, { location: 'https://example.com' }).end())],
])('tokens %s do not complete a sign-in', async (_name, mischief) => {
  const { authUrl } = await start();
  fixture.mischief = mischief;
  const answer = await finish(ann, await fixture.allow(String(authUrl)));
  expect(answer).toMatchObject({ status: 502, body: { message: 'The sign-in to vault failed. Please try again.' } });
  expect(JSON.stringify(answer.body)).not.toMatch(/access-|example/);
});

test('tokens are sent only to the address that they were issued for, not where a later manifest points', async () => {
  const { authUrl } = await start();
  expect(await finish(ann, await fixture.allow(String(authUrl)))).toMatchObject({ status: 200 });
  const call = () =>
    postModern(`${app.publicUrl}/s/vault/mcp`, token, 'tools/call', { name: 'echo', arguments: { text: 'hi' } });
  expect((await call()).body).toMatchObject({ result: { content: [{ text: 'hi' }] } });

  // another sign-in is running when the address changes
  const path = `/api/users/${ann.userId}/upstream-connections/vault/sign-in`;
  const again = await fixture.allow(String((await ann.call('POST', path)).body['authUrl']));
  await deployManifest(app, { ...vaultManifest(elsewhere), version: '2.0.0' });
  expect(await finish(ann, again)).toMatchObject({
    status: 400,
    body: {
      code: 'sign_in_expired',
      message: 'The address of vault has changed since you started. Please start again.',
    },
  });
  expect((await call()).body.result).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
  expect(elsewhere.seen.filter((authorization) => authorization !== '')).toEqual([]);
  const { body } = await ann.call('GET', `/api/users/${ann.userId}/upstream-connections`);
  expect(body['connections']).toMatchObject([
    { state: 'needs-sign-in', error: 'The server has a new address: sign in again.' },
  ]);
  expect(app.logged()).not.toMatch(/access-[0-9a-f]{8}|refresh-[0-9a-f]{8}/);
});
