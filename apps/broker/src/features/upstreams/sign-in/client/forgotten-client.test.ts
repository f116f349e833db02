import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { signInPerson, type TestPerson } from '../testing/person.ts';
import { areToolsRead, signInAt, startVault, vaultManifest, type Vault } from '../testing/vault.ts';

// An authorization server may silently delete the client that we registered: users must not be locked out by that.

const operators = { id: 'operators-client', secret: 'operators-secret-9c' };
let fixture: Vault['fixture'];
let app: Vault['app'];
let ann: Vault['ann'];
let token: string;
let close: Vault['close'];
let bob: TestPerson;
let admin: TestPerson;
let version = 1;

beforeAll(async () => {
  ({ fixture, app, ann, token, close } = await startVault({
    fixture: { clients: { [operators.id]: operators.secret } },
    app: ({ origin }) => ({
      env: {
        UPSTREAM_CLIENT_ID_OURS: operators.id,
        UPSTREAM_CLIENT_SECRET_OURS: operators.secret,
        UPSTREAM_CLIENT_ISSUER_OURS: origin,
      },
    }),
  }));
  bob = await signInPerson(app.publicUrl, 'bob@souk.test');
  admin = await signInPerson(app.publicUrl, 'admin@souk.test');
});
afterEach(async () => {
  fixture.mischief = {};
  for (const person of [ann, bob]) {
    await person.call('DELETE', `/api/users/${person.userId}/upstream-connections/vault`);
  }
  await app.db.query('delete from upstream_registrations');
  await app.db.query('delete from upstream_sign_ins');
});
afterAll(() => close?.());

/** Begins a sign-in. Returns the client id in its address. */
async function clientOf(person: TestPerson): Promise<string | null> {
  const path = `/api/users/${person.userId}/upstream-connections/vault/sign-in`;
  return new URL(String((await person.call('POST', path)).body['authUrl'])).searchParams.get('client_id');
}
const signIn = async (person: TestPerson) => (await signInAt(person, fixture)).searchParams.get('client_id');
const registrations = async () => (await app.db.query('select client_id from upstream_registrations')).rows;
const call = async () => {
  const params = { name: 'echo', arguments: { text: 'hi' } };
  return (await postModern(`${app.publicUrl}/s/vault/mcp`, token, 'tools/call', params)).body.result;
};
const forget = (clientId: string | null) => {
  fixture.mischief.refuse = (form) =>
    form.get('client_id') === clientId ? { status: 401, body: { error: 'invalid_client' } } : undefined;
};

test('a client that the token endpoint does not know at a refresh is registered again at the next sign-in', async () => {
  const first = await signIn(ann);
  await waitUntil('the tools', () => areToolsRead(app, 'vault'));
  forget(first);
  fixture.forgetAccessTokens();
  expect(await call()).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
  expect(await registrations()).toEqual([]);
  const second = await signIn(ann);
  expect(second).not.toBe(first);
  expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });
  // a refusal of the old client, which another user still has, keeps the new one
  expect(await signIn(bob)).toBe(second);
});

test('a refusal of an old client does not delete the registration that replaced it', async () => {
  const first = await signIn(ann);
  await waitUntil('the tools', () => areToolsRead(app, 'vault'));
  await app.db.query('delete from upstream_registrations');
  const second = await signIn(bob);
  forget(first);
  fixture.forgetAccessTokens();
  expect(await call()).toMatchObject({ _meta: { 'souk/code': 'sign_in_required' } });
  expect(await registrations()).toEqual([{ client_id: second }]);
});

test('a client that the token endpoint does not know when a code is redeemed is registered again at the next attempt', async () => {
  const path = `/api/users/${ann.userId}/upstream-connections/vault/sign-in`;
  const authUrl = String((await ann.call('POST', path)).body['authUrl']);
  const back = await fixture.allow(authUrl);
  const first = new URL(authUrl).searchParams.get('client_id');
  forget(first);
  expect(await ann.call('POST', '/mcp/oauth/callback', Object.fromEntries(back))).toMatchObject({
    status: 502,
    body: { message: 'The sign-in to vault failed. Please try again.' },
  });
  expect(await signIn(ann)).not.toBe(first);
});

test('a user who does not return from the authorization server gets a new client, once', async () => {
  const first = await clientOf(ann);
  const second = await clientOf(ann);
  expect(second).not.toBe(first);
  // another client did not help, so the client is not the cause
  expect(await clientOf(ann)).toBe(second);
  expect(await clientOf(bob)).toBe(second);
  expect(await signIn(ann)).toBe(second);
});

test('a user who returned, also with a refusal, keeps the client', async () => {
  const path = `/api/users/${ann.userId}/upstream-connections/vault/sign-in`;
  const { searchParams } = new URL(String((await ann.call('POST', path)).body['authUrl']));
  const refusal = { state: searchParams.get('state'), error: 'access_denied', iss: fixture.origin };
  expect(await ann.call('POST', '/mcp/oauth/callback', refusal)).toMatchObject({ status: 400 });
  expect(await clientOf(ann)).toBe(searchParams.get('client_id'));
});

test.each<[string, () => Promise<unknown>]>([
  ['undeployed', () => app.catalogue.undeploy('vault', { via: 'command' })],
  ['deleted', () => app.catalogue.deleteManifest('vault', { via: 'command' })],
  ['deployed in a new version', () => deployManifest(app, { ...vaultManifest(fixture), version: `${++version}.0.0` })],
])('the registration of a server is deleted when it is %s', async (_how, change) => {
  const first = await signIn(ann);
  expect(await registrations()).toEqual([{ client_id: first }]);
  await change();
  expect(await registrations()).toEqual([]);
  await deployManifest(app, { ...vaultManifest(fixture), version: `${++version}.0.0` });
  expect(await signIn(ann)).not.toBe(first);
});

test('an administrator can have us registered again: signed-in users stay signed in', async () => {
  const first = await signIn(ann);
  await waitUntil('the tools', () => areToolsRead(app, 'vault'));
  const signInOf = async () => Object((await admin.call('GET', '/admin/servers/vault/sign-in')).body['signIn']);
  expect(await signInOf()).toMatchObject({ state: 'open', clientId: null, registeredAt: expect.any(String) });
  const again = () => admin.call('POST', '/admin/servers/vault/sign-in/register-again');
  expect(await again()).toMatchObject({ status: 200, body: { signIn: { registeredAt: null } } });
  // nothing is left to drop, and no audit row is written
  expect(await again()).toMatchObject({ status: 200 });
  const { rows } = await app.db.query(
    "select actor_id, subject from audit_log where action = 'sign-in.registration-dropped'",
  );
  expect(rows).toEqual([{ actor_id: admin.userId, subject: 'vault' }]);
  fixture.forgetAccessTokens();
  expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });
  expect(await signIn(bob)).not.toBe(first);
  expect(await bob.call('POST', '/admin/servers/vault/sign-in/register-again')).toMatchObject({ status: 403 });
});

test("the operator's client is never abandoned: no other one is registered in its place", async () => {
  await deployManifest(app, { ...vaultManifest(fixture), id: 'ours' });
  const before = fixture.registrations.length;
  const path = `/api/users/${ann.userId}/upstream-connections/ours/sign-in`;
  for (let time = 0; time < 3; time++) {
    const { searchParams } = new URL(String((await ann.call('POST', path)).body['authUrl']));
    expect(searchParams.get('client_id')).toBe(operators.id);
  }
  expect(fixture.registrations).toHaveLength(before);
});
