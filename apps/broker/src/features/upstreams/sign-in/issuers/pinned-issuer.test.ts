import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startOAuthFixture, type OAuthFixture } from '../testing/oauth-fixture.ts';
import { signInPerson, type TestPerson } from '../testing/person.ts';
import { areToolsRead, signInAt, startVault, vaultManifest, type Vault } from '../testing/vault.ts';

// The operator has registered a client for `vault` and for `pinned`, and has set the place only of `pinned`. Their
// server may name another authorization server at any time: here a hostile one, which records all that it receives.

const clientId = 'operators-client';
const secret = 'operators-secret-31bb';
let fixture: Vault['fixture'];
let app: Vault['app'];
let ann: Vault['ann'];
let token: string;
let close: Vault['close'];
let elsewhere: OAuthFixture;
let admin: TestPerson;

beforeAll(async () => {
  elsewhere = await startOAuthFixture();
  ({ fixture, app, ann, token, close } = await startVault({
    fixture: { clients: { [clientId]: secret } },
    app: ({ origin }) => ({
      env: {
        UPSTREAM_CLIENT_ID_VAULT: clientId,
        UPSTREAM_CLIENT_SECRET_VAULT: secret,
        UPSTREAM_CLIENT_ID_PINNED: clientId,
        UPSTREAM_CLIENT_SECRET_PINNED: secret,
        UPSTREAM_CLIENT_ISSUER_PINNED: `${origin}/`,
      },
    }),
    allowAddresses: [elsewhere.address],
  }));
  await deployManifest(app, { ...vaultManifest(fixture), id: 'pinned' });
  admin = await signInPerson(app.publicUrl, 'admin@souk.test');
});
afterEach(() => {
  fixture.mischief = {};
});
afterAll(async () => {
  await close?.();
  await elsewhere?.close();
});

const start = (id: string) => ann.call('POST', `/api/users/${ann.userId}/upstream-connections/${id}/sign-in`);
const readSignIn = async (id = 'vault') => (await admin.call('GET', `/admin/servers/${id}/sign-in`)).body['signIn'];
const confirm = (place: object, id = 'vault') => admin.call('POST', `/admin/servers/${id}/sign-in/confirm`, place);
const placeOf = ({ origin }: OAuthFixture) => ({
  resource: fixture.url,
  issuer: origin,
  authorizationEndpoint: `${origin}/authorize`,
  tokenEndpoint: `${origin}/token`,
  origins: [],
});
const nameElsewhere = () => {
  fixture.mischief.resourceMetadata = (honest) => ({ ...honest, authorization_servers: [elsewhere.origin] });
};
const audited = async (action: string) => {
  const rows = await app.db.query('select actor_id, subject, details from audit_log where action = $1', [action]);
  return rows.rows;
};
const call = async () => {
  const params = { name: 'echo', arguments: { text: 'hi' } };
  return (await postModern(`${app.publicUrl}/s/vault/mcp`, token, 'tools/call', params)).body.result;
};
const stateOfVault = async () => {
  const { body } = await ann.call('GET', `/api/users/${ann.userId}/upstream-connections`);
  return Array.isArray(body['connections'])
    ? body['connections'].find(({ serverId }) => serverId === 'vault')
    : undefined;
};

describe('the place of a client, from its first confirmation on', { shuffle: false }, () => {
  test("the operator's client is sent nowhere until an administrator has confirmed what they saw", async () => {
    expect(await start('vault')).toMatchObject({
      status: 502,
      body: {
        code: 'sign_in_unavailable',
        message: `You cannot sign in to vault right now: it sends people to ${fixture.origin}, and an administrator has to confirm that first.`,
      },
    });
    expect(await readSignIn()).toEqual({
      state: 'waiting',
      clientId,
      registeredAt: null,
      variable: 'UPSTREAM_CLIENT_ISSUER_VAULT',
      known: null,
      named: placeOf(fixture),
      doubts: [],
      problem: null,
    });
    expect(await confirm(placeOf(elsewhere))).toMatchObject({ status: 409, body: { code: 'changed_since_shown' } });
    expect(await confirm({ ...placeOf(fixture), tokenEndpoint: `${fixture.origin}/token2` })).toMatchObject({
      status: 409,
    });
    expect(await audited('sign-in.issuer-confirmed')).toEqual([]);
    expect(await confirm(placeOf(fixture))).toMatchObject({
      status: 200,
      body: {
        signIn: {
          state: 'confirmed',
          known: { by: 'administrator', issuer: fixture.origin, tokenEndpoint: `${fixture.origin}/token` },
        },
      },
    });
    expect(await audited('sign-in.issuer-confirmed')).toEqual([
      { actor_id: admin.userId, subject: 'vault', details: placeOf(fixture) },
    ]);
    expect((await signInAt(ann, fixture)).searchParams.get('client_id')).toBe(clientId);
  });

  test.each([
    ['vault', 'an administrator has confirmed', ''],
    ['pinned', 'the operator has set', '/'],
  ])(
    'an issuer other than the one that %s is refused, reported next to the known one, and sees neither id nor secret',
    async (id, who, slash) => {
      nameElsewhere();
      const told = app.logged().length;
      for (let time = 0; time < 2; time++) {
        const { status, body } = await start(id);
        expect(status).toBe(502);
        expect(body).not.toHaveProperty('authUrl');
        expect(body['message']).toBe(
          `You cannot sign in to ${id} right now: it now sends people to ${elsewhere.origin}, and ${who} ${fixture.origin}${slash}.`,
        );
      }
      expect(app.logged().slice(told)).toContain(`UPSTREAM_CLIENT_ISSUER_${id.toUpperCase()}`);
      // once, however many attempts
      const refused = (await audited('sign-in.issuer-refused')).filter((row) => row['subject'] === id);
      expect(refused.at(-1)).toEqual({ actor_id: null, subject: id, details: placeOf(elsewhere) });
      expect(refused.filter(({ details }) => JSON.stringify(details).includes(elsewhere.origin))).toHaveLength(1);
      expect(await readSignIn(id)).toMatchObject({ state: 'refused', named: placeOf(elsewhere) });
      expect([...elsewhere.registrations, ...elsewhere.tokenRequests, ...elsewhere.clientAuthentications]).toEqual([]);
    },
  );

  test('another token endpoint of the same issuer is another place', async () => {
    fixture.mischief.serverMetadata = (honest) => ({ ...honest, token_endpoint: `${fixture.origin}/token-of-others` });
    expect(await start('vault')).toMatchObject({
      status: 502,
      body: {
        message: `You cannot sign in to vault right now: its sign-in at ${fixture.origin} has changed since an administrator confirmed it, and has to be confirmed again.`,
      },
    });
    expect(await readSignIn()).toMatchObject({ state: 'refused' });
  });

  test('an administrator cannot change what the operator has set', async () => {
    expect(await readSignIn('pinned')).toMatchObject({
      state: 'confirmed',
      known: { by: 'environment', issuer: `${fixture.origin}/`, tokenEndpoint: null },
    });
    nameElsewhere();
    expect(await confirm(placeOf(elsewhere), 'pinned')).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  test('a confirmed sign-in stays valid, and ends when another place is confirmed: the other place receives nothing', async () => {
    nameElsewhere();
    await waitUntil('the tools to be read', () => areToolsRead(app, 'vault'));
    fixture.forgetAccessTokens();
    expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });
    const under = await start('pinned');
    expect(under.status).toBe(502);

    const before = fixture.tokenRequests.length;
    expect(await confirm(placeOf(elsewhere))).toMatchObject({ status: 200, body: { signIn: { state: 'confirmed' } } });
    fixture.forgetAccessTokens();
    expect(await call()).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
    expect(await stateOfVault()).toMatchObject({
      state: 'needs-sign-in',
      error: 'Its sign-in provider has changed: sign in again.',
    });
    expect(fixture.tokenRequests).toHaveLength(before);
    expect(app.logged()).not.toContain(secret);
  });

  test('a running sign-in ends with a new pin before its code is redeemed', async () => {
    await confirm(placeOf(fixture));
    const back = await fixture.allow(String((await start('vault')).body['authUrl']));
    nameElsewhere();
    await confirm(placeOf(elsewhere));
    const before = fixture.tokenRequests.length;
    expect(await ann.call('POST', '/mcp/oauth/callback', Object.fromEntries(back))).toMatchObject({
      status: 400,
      body: {
        code: 'sign_in_expired',
        message: 'How people sign in to vault has changed since you started. Please start again.',
      },
    });
    expect(fixture.tokenRequests).toHaveLength(before);
  });
});
