import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
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
    connection: { type: 'websocket', url: fixture.webSocketUrl },
    auth: { type: 'oauth' },
    capabilitySnapshot: {
      tools: ['echo', 'of_no_server'].map((name) => ({ name, inputSchema: { type: 'object' } })),
    },
  });
  ann = await signInPerson(app.publicUrl, 'ann@souk.test');
  token = (await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' })).token;
}, 60_000);
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const post = async (method: string, params: Record<string, unknown> = {}) =>
  (await postModern(`${app.publicUrl}/mcp`, token, method, params)).body.result;
const call = () => post('tools/call', { name: 'vault__echo', arguments: { text: 'hi' } });

test('a person signs in at a server over WebSocket, and is offered what their connection offers', async () => {
  expect(app.catalogue.snapshot().byId.get('vault')).toMatchObject({ statusDetail: 'Sign-in required' });
  expect(await call()).toMatchObject({ isError: true, _meta: { code: 'sign_in_required' } });
  const { body } = await ann.call('POST', '/mcp/vault/enable');
  const authUrl = new URL(String(body['authUrl']));
  // tokens are asked for the place where the handshake goes
  expect(authUrl.searchParams.get('resource')).toBe(fixture.url);
  const back = await fixture.allow(authUrl.href);
  expect(await ann.call('POST', '/mcp/oauth/callback', Object.fromEntries(back))).toMatchObject({ status: 200 });
  expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });
  await waitUntil('the offer', async () => !JSON.stringify(await post('tools/list')).includes('vault__of_no_server'));
});

test('a handshake that is refused renews the token once and is tried again', async () => {
  fixture.forgetAccessTokens();
  fixture.tokenRequests.length = 0;
  await app.connections.pool.dropAll('vault');
  expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });
  expect(fixture.tokenRequests.map((form) => form.get('grant_type'))).toEqual(['refresh_token']);
});

test('one that is refused with a new token too ends the sign-in', async () => {
  fixture.mischief.tokens = (honest) => ({ ...honest, access_token: 'of another' });
  fixture.forgetAccessTokens();
  fixture.tokenRequests.length = 0;
  await app.connections.pool.dropAll('vault');
  expect(await call()).toMatchObject({ isError: true, _meta: { code: 'sign_in_required' } });
  expect(fixture.tokenRequests).toHaveLength(1);
  const { body } = await ann.call('GET', `/api/users/${ann.userId}/upstream-connections`);
  expect(body['connections']).toMatchObject([{ state: 'needs-sign-in', error: 'The server refuses the sign-in.' }]);
});
