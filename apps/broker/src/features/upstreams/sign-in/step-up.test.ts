import { afterAll, beforeAll, expect, test } from 'vitest';
import { postModern } from '#testing/mcp-clients.ts';
import { signInAt, startVault, type Vault } from './testing/vault.ts';

let fixture: Vault['fixture'];
let app: Vault['app'];
let ann: Vault['ann'];
let token: string;
let close: Vault['close'];

beforeAll(async () => {
  ({ fixture, app, ann, token, close } = await startVault());
});
afterAll(() => close?.());

/** Signs in at the vault and answers the scopes that it asked for. */
async function signIn(): Promise<string | null> {
  return (await signInAt(ann, fixture)).searchParams.get('scope');
}

const call = async () => {
  const params = { name: 'echo', arguments: { text: 'hi' } };
  return (await postModern(`${app.publicUrl}/s/vault/mcp`, token, 'tools/call', params)).body.result;
};

const connection = async () => {
  const { body } = await ann.call('GET', `/api/users/${ann.userId}/upstream-connections`);
  return body['connections'];
};

/** Makes the server demand another scope for every call; undefined: for none. */
function wantScope(scope: string | undefined): void {
  fixture.mischief.intercept = (request, response) => {
    if (scope === undefined || request.headers['mcp-method'] !== 'tools/call') return false;
    const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
    response.writeHead(403, { 'content-type': 'application/json', 'www-authenticate': challenge }).end('{}');
    return true;
  };
}

test('a call that needs another scope asks for a sign-in, whose request names the earlier scopes and the new one', async () => {
  expect(await signIn()).toBe('read');
  expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });

  wantScope('write');
  expect(await call()).toMatchObject({
    isError: true,
    _meta: { 'souk/code': 'sign_in_required', 'souk/url': `${app.publicUrl}/connect/vault` },
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

test('a server that wants another scope with each call does not grow its stored scopes without bound', async () => {
  for (let n = 0; n < 25; n++) {
    wantScope(Array.from({ length: 10 }, (_, index) => `scope-${n}-${index}`).join(' '));
    await call();
  }
  const { rows } = await app.db.query<{ wanted_scopes: string[] }>('select wanted_scopes from upstream_connections');
  expect(rows[0]?.wanted_scopes).toHaveLength(100);
});
