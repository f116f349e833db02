import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { startOAuthFixture, type OAuthFixture } from './testing/oauth-fixture.ts';
import { signInPerson, type TestPerson } from './testing/person.ts';

let fixture: OAuthFixture;
let app: TestApp;
let ann: TestPerson;
let token: string;

beforeAll(async () => {
  fixture = await startOAuthFixture();
  app = await startTestApp({ allowAddresses: [fixture.address] });
  await deployManifest(app, {
    id: 'vault',
    connection: { type: 'http', url: fixture.url },
    auth: { type: 'oauth' },
    capabilitySnapshot: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
  });
  ann = await signInPerson(app.publicUrl, 'ann@souk.test');
  token = (await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' })).token;
}, 60_000);
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

/** Signs in at the vault and answers the scopes that it asked for. */
async function signIn(): Promise<string | null> {
  const { body } = await ann.call('POST', `/api/users/${ann.userId}/upstream-connections/vault/sign-in`);
  const authUrl = String(body['authUrl']);
  const finished = await ann.call('POST', '/mcp/oauth/callback', Object.fromEntries(await fixture.allow(authUrl)));
  expect(finished).toMatchObject({ status: 200 });
  return new URL(authUrl).searchParams.get('scope');
}

const call = async () => {
  const params = { name: 'echo', arguments: { text: 'hi' } };
  return (await postModern(`${app.publicUrl}/s/vault/mcp`, token, 'tools/call', params)).body.result;
};

const connection = async () => {
  const { body } = await ann.call('GET', `/api/users/${ann.userId}/upstream-connections`);
  return body['connections'];
};

/** The server wants another scope for every call, or for none. */
function wantScope(scope: string | undefined): void {
  fixture.mischief.intercept = (request, response) => {
    if (scope === undefined || request.headers['mcp-method'] !== 'tools/call') return false;
    const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
    response.writeHead(403, { 'content-type': 'application/json', 'www-authenticate': challenge }).end('{}');
    return true;
  };
}

test('a call that needs another scope asks for a sign-in, whose request holds the scopes of before and the new one', async () => {
  expect(await signIn()).toBe('read');
  expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });

  wantScope('write');
  expect(await call()).toMatchObject({
    isError: true,
    _meta: { code: 'sign_in_required', url: `${app.publicUrl}/connect/vault` },
  });
  expect(await connection()).toMatchObject([
    { state: 'needs-sign-in', error: 'The server wants more permissions than you gave: sign in again to give them.' },
  ]);
  // nothing is renewed: another token of the same sign-in allows no more
  expect(fixture.tokenRequests.map((form) => form.get('grant_type'))).toEqual(['authorization_code']);

  // what the sign-in allows goes on
  wantScope(undefined);
  expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });

  expect(await signIn()).toBe('read write');
  expect(await connection()).toMatchObject([{ state: 'signed-in' }]);
  expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });
  // and a later sign-in forgets none of them
  expect(await signIn()).toBe('read write');
});

test('a server that wants another scope with each call does not grow what is kept of it without bound', async () => {
  for (let n = 0; n < 25; n++) {
    wantScope(Array.from({ length: 10 }, (_, index) => `scope-${n}-${index}`).join(' '));
    await call();
  }
  const { rows } = await app.db.query<{ wanted_scopes: string[] }>('select wanted_scopes from upstream_connections');
  expect(rows[0]?.wanted_scopes).toHaveLength(100);
});
