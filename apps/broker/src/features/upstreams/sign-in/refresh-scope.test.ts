import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { postModern } from '#testing/mcp-clients.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { isOfferRead, signInAt, startVault, type Vault } from './testing/vault.ts';

// RFC 6749, section 6: a refresh without a scope asks for what was granted. Some servers answer their default scope instead.

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

async function connect(): Promise<void> {
  await signInAt(ann, fixture);
  // the server is asked what it offers, and no test below means that request
  await waitUntil('the offer', () => isOfferRead(app, 'vault'));
  fixture.tokenRequests.length = 0;
}
/** A call with a token that has to be renewed. */
async function callRenewed() {
  fixture.forgetAccessTokens();
  const params = { name: 'echo', arguments: { text: 'hi' } };
  return (await postModern(`${app.publicUrl}/s/vault/mcp`, token, 'tools/call', params)).body.result;
}
const works = { content: [{ text: 'hi' }] };
const asked = () => fixture.tokenRequests.map((form) => form.get('scope'));
const granting = (scope: string | undefined) => {
  fixture.mischief.tokens = (honest) => ({ ...honest, ...(scope !== undefined && { scope }) });
};
const account = async () => {
  const { body } = await ann.call('GET', `/api/users/${ann.userId}/upstream-connections`);
  return Object(body['connections'])[0];
};

test('a refresh asks for what the sign-in was granted, also after an answer with less', async () => {
  granting('read write "bad" read');
  await connect();
  granting('read');
  expect(await callRenewed()).toMatchObject(works);
  expect(await callRenewed()).toMatchObject(works);
  expect(asked()).toEqual(['read write', 'read write']);
});

test('where the server does not say what it granted, a refresh asks for what the sign-in asked for', async () => {
  await connect();
  expect(await callRenewed()).toMatchObject(works);
  expect(asked()).toEqual(['read']);
});

test.each(['invalid_scope', 'invalid_request'])(
  'a server that refuses a scope at a refresh, by %s, is asked once without, and not with one again',
  async (error) => {
    await connect();
    fixture.mischief.refuse = (form) => (form.has('scope') ? { status: 400, body: { error } } : undefined);
    expect(await callRenewed()).toMatchObject(works);
    expect(await callRenewed()).toMatchObject(works);
    expect(asked()).toEqual(['read', null, null]);
    expect(await account()).toMatchObject({ state: 'signed-in' });
  },
);

test('a refusal that lasts asks for a new sign-in, in the words of the server', async () => {
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
