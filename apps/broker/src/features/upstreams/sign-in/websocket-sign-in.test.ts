import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postModern } from '#testing/people/mcp-clients.ts';
import { waitUntil } from '#testing/wait-until.ts';
import type { OAuthFixture } from './testing/oauth-fixture.ts';
import { signInAt, startVault, type Vault } from './testing/vault.ts';

let fixture: Vault['fixture'];
let app: Vault['app'];
let ann: Vault['ann'];
let token: string;
let close: Vault['close'];

beforeAll(async () => {
  const tools = ['echo', 'of_no_server'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  const manifest = ({ webSocketUrl: url }: OAuthFixture) => ({
    connection: { type: 'websocket', url },
    capabilitySnapshot: { tools },
  });
  ({ fixture, app, ann, token, close } = await startVault({ manifest }));
});
afterAll(() => close?.());

const post = async (method: string, params: Record<string, unknown> = {}) =>
  (await postModern(`${app.publicUrl}/mcp`, token, method, params)).body.result;
const call = () => post('tools/call', { name: 'vault__echo', arguments: { text: 'hi' } });

describe('one sign-in, from its beginning to its end', { shuffle: false }, () => {
  test('a user signs in at a server over WebSocket, and gets the tools of their account', async () => {
    expect(app.catalogue.snapshot().byId.get('vault')).toMatchObject({ statusDetail: 'Sign-in required' });
    expect(await call()).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
    const authUrl = await signInAt(ann, fixture);
    // tokens are requested for the address of the handshake
    expect(authUrl.searchParams.get('resource')).toBe(fixture.url);
    expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });
    await waitUntil('the tools', async () => !JSON.stringify(await post('tools/list')).includes('vault__of_no_server'));
  });

  test('after a refused handshake the token is renewed and the handshake retried, once', async () => {
    fixture.forgetAccessTokens();
    fixture.tokenRequests.length = 0;
    await app.upstreams.pool.dropAll('vault');
    expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });
    expect(fixture.tokenRequests.map((form) => form.get('grant_type'))).toEqual(['refresh_token']);
  });

  test('a handshake that is refused with the new token too ends the sign-in', async () => {
    fixture.mischief.tokens = (honest) => ({ ...honest, access_token: 'of-another' });
    fixture.forgetAccessTokens();
    fixture.tokenRequests.length = 0;
    await app.upstreams.pool.dropAll('vault');
    expect(await call()).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
    expect(fixture.tokenRequests).toHaveLength(1);
    const { body } = await ann.call('GET', `/api/users/${ann.userId}/upstream-connections`);
    expect(body['connections']).toMatchObject([{ state: 'needs-sign-in', error: 'The server refuses the sign-in.' }]);
  });
});
