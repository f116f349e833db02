import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { postModern } from '#testing/people/mcp-clients.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { areToolsRead, signInAt, startVault, type Vault } from './testing/vault.ts';

let fixture: Vault['fixture'];
let app: Vault['app'];
let ann: Vault['ann'];
let token: string;
let close: Vault['close'];

beforeAll(async () => {
  ({ fixture, app, ann, token, close } = await startVault());
});
afterEach(async () => {
  fixture.mischief = {};
  await ann.call('DELETE', `/api/users/${ann.userId}/upstream-connections/vault`);
});
afterAll(() => close?.());

/** Signs in at the vault and returns the requested scopes. */
async function signIn(): Promise<string | null> {
  return (await signInAt(ann, fixture)).searchParams.get('scope');
}
/** Signs in, and waits until the broker has queried the server for its tools: no test below counts that request. */
async function connect(): Promise<string | null> {
  const scope = await signIn();
  await waitUntil('the tools', () => areToolsRead(app, 'vault'));
  fixture.tokenRequests.length = 0;
  return scope;
}
const call = async () => {
  const params = { name: 'echo', arguments: { text: 'hi' } };
  return (await postModern(`${app.publicUrl}/s/vault/mcp`, token, 'tools/call', params)).body.result;
};
/** Makes a call with a token that has to be renewed. */
async function callRenewed() {
  fixture.forgetAccessTokens();
  return call();
}
const works = { content: [{ text: 'hi' }] };
const account = async () => {
  const { body } = await ann.call('GET', `/api/users/${ann.userId}/upstream-connections`);
  return Object(body['connections'])[0];
};

// RFC 6749, section 6: a refresh without a scope requests the granted scope. Some servers answer with their default
// scope instead.
describe('at a refresh', () => {
  const asked = () => fixture.tokenRequests.map((form) => form.get('scope'));
  const granting = (scope: string | undefined) => {
    fixture.mischief.tokens = (honest) => ({ ...honest, ...(scope !== undefined && { scope }) });
  };

  test('a refresh requests what the sign-in was granted, also after a response with less', async () => {
    granting('read write "bad" read');
    await connect();
    granting('read');
    expect(await callRenewed()).toMatchObject(works);
    expect(await callRenewed()).toMatchObject(works);
    expect(asked()).toEqual(['read write', 'read write']);
  });

  test('if the server does not say what it granted, a refresh requests what the sign-in requested', async () => {
    await connect();
    expect(await callRenewed()).toMatchObject(works);
    expect(asked()).toEqual(['read']);
  });

  test.each(['invalid_scope', 'invalid_request'])(
    'if a server refuses a scope at a refresh, by %s, the refresh is repeated once without a scope, and later refreshes send none',
    async (error) => {
      await connect();
      fixture.mischief.refuse = (form) => (form.has('scope') ? { status: 400, body: { error } } : undefined);
      expect(await callRenewed()).toMatchObject(works);
      expect(await callRenewed()).toMatchObject(works);
      expect(asked()).toEqual(['read', null, null]);
      expect(await account()).toMatchObject({ state: 'signed-in' });
    },
  );

  test("a permanent refusal asks for a new sign-in, with the server's text", async () => {
    await connect();
    const said = 'This token was\u202e revoked\n by its owner. '.padEnd(400, 'x');
    fixture.mischief.refuse = () => ({ status: 400, body: { error: 'invalid_request', error_description: said } });
    expect(await callRenewed()).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
    expect(asked()).toEqual(['read', null]);
    const { state, error } = await account();
    expect(state).toBe('needs-sign-in');
    expect(error).toMatch(
      /^The sign-in has ended or was withdrawn\. The authorization server says: This token was revoked by its owner\. x+$/,
    );
    expect(error.length).toBeLessThan(300);
    fixture.mischief = {};
    await connect();
    expect(await callRenewed()).toMatchObject(works);
  });
});

describe('for a call', () => {
  /** Makes the server require another scope for every call; undefined: for none. */
  function wantScope(scope: string | undefined): void {
    fixture.mischief.intercept = (request, response) => {
      if (scope === undefined || request.headers['mcp-method'] !== 'tools/call') return false;
      const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
      response.writeHead(403, { 'content-type': 'application/json', 'www-authenticate': challenge }).end('{}');
      return true;
    };
  }

  test('a call that needs another scope asks for a sign-in, whose request names the earlier scopes and the new one', async () => {
    expect(await connect()).toBe('read');
    expect(await call()).toMatchObject(works);

    wantScope('write');
    expect(await call()).toMatchObject({
      isError: true,
      _meta: { 'souk/code': 'sign_in_required', 'souk/url': `${app.publicUrl}/connect/vault` },
    });
    expect(await account()).toMatchObject({
      state: 'needs-sign-in',
      error: 'The server requires more permissions than you granted: sign in again to grant them.',
    });
    // nothing is renewed: another token of the same sign-in allows no more
    expect(fixture.tokenRequests).toEqual([]);

    // what the sign-in allows keeps working
    wantScope(undefined);
    expect(await call()).toMatchObject(works);

    expect(await signIn()).toBe('read write');
    expect(await account()).toMatchObject({ state: 'signed-in' });
    expect(await call()).toMatchObject(works);
    // and a later sign-in keeps all of them
    expect(await signIn()).toBe('read write');
  });

  test('a server that requires another scope with each call does not grow its stored scopes without limit', async () => {
    await connect();
    for (let n = 0; n < 11; n++) {
      wantScope(Array.from({ length: 10 }, (_, index) => `scope-${n}-${index}`).join(' '));
      await call();
    }
    const { rows } = await app.db.query<{ wanted_scopes: string[] }>('select wanted_scopes from upstream_connections');
    expect(rows[0]?.wanted_scopes).toHaveLength(100);
  });
});
