import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ResolveName } from '#platform/http/outgoing/name-lookups.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startOAuthFixture, type OAuthFixture } from '../testing/oauth-fixture.ts';
import { signInPerson, type TestPerson } from '../testing/person.ts';
import { startVault, vaultManifest, type Vault } from '../testing/vault.ts';

// A hostile server names the authorization server of another service, which ignores `resource` (RFC 8707): a user who
// signs in there gives their tokens for that service to the hostile server.

const toHere: ResolveName = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
let fixture: Vault['fixture'];
let app: Vault['app'];
let ann: Vault['ann'];
let token: string;
let close: Vault['close'];
let service: OAuthFixture;
let moved: OAuthFixture;
let ownSignIn: OAuthFixture;
let admin: TestPerson;
let version = 1;

beforeAll(async () => {
  service = await startOAuthFixture({ host: 'id.service.example' });
  moved = await startOAuthFixture({ host: 'mcp.moved.example' });
  ownSignIn = await startOAuthFixture({ host: 'id.vault.example' });
  ({ fixture, app, ann, token, close } = await startVault({
    fixture: { host: 'mcp.vault.example' },
    app: () => ({ resolve: toHere }),
    allowAddresses: [service.address, moved.address, ownSignIn.address],
  }));
  admin = await signInPerson(app.publicUrl, 'admin@souk.test');
});
afterEach(async () => {
  for (const one of [fixture, service, moved, ownSignIn]) one.mischief = {};
  await ann.call('DELETE', `/api/users/${ann.userId}/upstream-connections/vault`);
  await app.db.query('delete from upstream_issuers');
  await app.db.query('delete from upstream_sign_ins');
});
afterAll(async () => {
  await close?.();
  for (const one of [service, moved, ownSignIn]) await one?.close();
});

const naming = (issuer: OAuthFixture, at = fixture) => {
  at.mischief.resourceMetadata = (honest) => ({ ...honest, authorization_servers: [issuer.origin] });
};
const deploy = (change: object = {}, of = fixture) =>
  deployManifest(app, { ...vaultManifest(of), ...change, version: `${++version}.0.0` });
const start = () => ann.call('POST', `/api/users/${ann.userId}/upstream-connections/vault/sign-in`);
const signInOf = async () => Object((await admin.call('GET', '/admin/servers/vault/sign-in')).body['signIn']);
const needs = async () => {
  const { body } = await admin.call('GET', '/admin/overview/needs');
  return Object(body['needs'])['signInsToConfirm'];
};
const account = async () => {
  const { body } = await ann.call('GET', `/api/users/${ann.userId}/upstream-connections`);
  return Object(body['connections'])[0];
};
const confirm = async () =>
  admin.call('POST', '/admin/servers/vault/sign-in/confirm', (await signInOf()).named ?? undefined);
const shownAt = ({ registrations, tokenRequests }: OAuthFixture) => [...registrations, ...tokenRequests];
async function signIn(at: OAuthFixture) {
  const back = await at.allow(String((await start()).body['authUrl']));
  return ann.call('POST', '/mcp/oauth/callback', Object.fromEntries(back));
}

// sequential versions of one server
describe('where users are sent to sign in', { shuffle: false }, () => {
  test('no user is sent to an authorization server on another site until an administrator has confirmed the pair', async () => {
    naming(service);
    await deploy();
    // it waits for an administrator from its deployment on, before any user was refused
    await waitUntil('the need', async () => (await needs()).total === 1);
    expect(await needs()).toMatchObject({
      items: [{ serverId: 'vault', name: 'vault', issuer: service.origin, since: expect.any(String) }],
    });
    expect(await account()).not.toHaveProperty('signInAt');
    expect(await start()).toMatchObject({
      status: 502,
      body: {
        code: 'sign_in_unavailable',
        message: `You cannot sign in to vault right now: it sends people to ${service.origin}, and an administrator has to confirm that first.`,
      },
    });
    expect(shownAt(service)).toEqual([]);
    expect(await signInOf()).toMatchObject({ state: 'waiting', doubts: ['other-site'], known: null });

    expect(await confirm()).toMatchObject({ status: 200, body: { signIn: { state: 'confirmed' } } });
    expect(await needs()).toEqual({ total: 0, items: [] });
    // the user's page names where they go
    expect(await account()).toMatchObject({ serverName: 'vault', state: 'none', signInAt: service.address });
    expect(await signIn(service)).toMatchObject({ status: 200 });
  });

  test('a later change invalidates a confirmation: of the server, and of the endpoints', async () => {
    naming(service);
    await deploy();
    expect((await confirm()).status).toBe(200);
    expect(await start()).toMatchObject({ status: 200 });
    service.mischief.serverMetadata = (honest) => ({ ...honest, token_endpoint: `${service.origin}/token2` });
    expect(await start()).toMatchObject({ status: 502 });
    service.mischief.serverMetadata = (honest) => ({ ...honest, registration_endpoint: `${moved.origin}/register` });
    expect(await start()).toMatchObject({ status: 502 });
    expect(await signInOf()).toMatchObject({ state: 'refused', doubts: ['other-site', 'other-origins'] });
    service.mischief = {};
    expect(await start()).toMatchObject({ status: 200 });
    expect((await needs()).total).toBe(0);

    naming(service, moved);
    await deploy({}, moved);
    await waitUntil('the need', async () => (await needs()).total === 1);
    expect(await start()).toMatchObject({ status: 502 });
    expect(await signInOf()).toMatchObject({
      state: 'refused',
      named: { resource: moved.url, issuer: service.origin },
    });
  });

  test('a stored sign-in is no longer used once its pair is not confirmed', async () => {
    naming(service);
    await deploy();
    await confirm();
    expect(await signIn(service)).toMatchObject({ status: 200 });
    // this server refuses the tokens: it is queried for its tools, and the tokens are renewed, since its pair is
    // confirmed
    await waitUntil('the server to refuse them', async () => (await account()).error !== undefined);
    await app.db.query('update upstream_issuers set place = null');
    await app.db.query(`update upstream_connections set expires_at = now() - interval '1 minute'`);
    const before = service.tokenRequests.length;
    const params = { name: 'echo', arguments: { text: 'hi' } };
    const { body } = await postModern(`${app.publicUrl}/s/vault/mcp`, token, 'tools/call', params);
    expect(body.result).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
    expect(service.tokenRequests).toHaveLength(before);
    expect(await account()).toMatchObject({
      state: 'needs-sign-in',
      error: 'Its sign-in provider has changed: sign in again.',
    });
  });

  test('a manifest may name the pair, and then no other one is used', async () => {
    naming(service);
    await deploy({ auth: { type: 'oauth', issuer: `${service.origin}/` } });
    expect(await start()).toMatchObject({ status: 200 });
    expect(await signInOf()).toMatchObject({
      state: 'confirmed',
      known: { by: 'manifest', issuer: `${service.origin}/` },
    });
    naming(ownSignIn);
    expect(await start()).toMatchObject({
      status: 502,
      body: {
        message: `You cannot sign in to vault right now: it now sends people to ${ownSignIn.origin}, and its manifest names ${service.origin}/.`,
      },
    });
    expect(await signInOf()).toMatchObject({ state: 'refused', known: { by: 'manifest' } });
    expect((await needs()).total).toBe(1);
    expect(await confirm()).toMatchObject({
      status: 400,
      body: { message: `The manifest of vault names ${service.origin}/: deploy a version that names another one.` },
    });
    expect(shownAt(ownSignIn)).toEqual([]);
  });

  test("endpoints at another origin need the manifest's or an administrator's permission", async () => {
    naming(ownSignIn);
    ownSignIn.mischief.serverMetadata = (honest) => ({ ...honest, token_endpoint: `${service.origin}/token` });
    await deploy();
    expect(await start()).toMatchObject({ status: 502 });
    expect(await signInOf()).toMatchObject({
      state: 'waiting',
      doubts: ['other-origins'],
      named: { origins: [service.origin] },
    });
    await deploy({ auth: { type: 'oauth', endpointOrigins: [service.origin] } });
    expect(await start()).toMatchObject({ status: 200 });
    expect(await signInOf()).toMatchObject({ state: 'open', doubts: [] });
    await deploy();
    expect(await start()).toMatchObject({ status: 502 });
    expect((await confirm()).status).toBe(200);
    expect(await start()).toMatchObject({ status: 200 });
  });

  test("an authorization server that does not mention PKCE is used only with an administrator's permission", async () => {
    fixture.mischief.serverMetadata = (honest) => ({ ...honest, code_challenge_methods_supported: undefined });
    await deploy();
    expect(await start()).toMatchObject({ status: 502 });
    expect(await signInOf()).toMatchObject({ state: 'waiting', doubts: ['no-pkce'] });
    expect((await confirm()).status).toBe(200);
    const { body } = await start();
    expect(new URL(String(body['authUrl'])).searchParams.get('code_challenge_method')).toBe('S256');
  });

  test("a server on the authorization server's own domain works without a confirmation", async () => {
    naming(ownSignIn);
    await deploy();
    await waitUntil('the sign-in addresses', async () => (await account()).signInAt === ownSignIn.address);
    expect(await signIn(ownSignIn)).toMatchObject({ status: 200 });
    expect(await signInOf()).toMatchObject({ state: 'open', doubts: [], known: null });
    expect(await confirm()).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((await needs()).total).toBe(0);
  });

  test('a deployment preview shows where users would sign in', async () => {
    naming(service);
    const manifest = {
      ...vaultManifest(fixture),
      name: 'vault',
      serviceType: 'mcp',
      description: 'x',
      category: 'data',
    };
    const shown = async (auth: object) => {
      const next = `${++version}.0.0`;
      const staged = await admin.call('POST', '/admin/manifests', { ...manifest, auth, version: next });
      expect(staged.status).toBe(200);
      const { body } = await admin.call('GET', '/admin/servers/vault/differences');
      return Array.isArray(body['effects']) ? body['effects'] : [];
    };
    expect(await shown({ type: 'oauth' })).toContain(
      `The server sends people to ${service.origin}. No one can sign in until you confirm that on its page.`,
    );
    expect(await shown({ type: 'oauth', issuer: service.origin })).toContain(
      `People sign in at ${service.origin}, which the manifest names.`,
    );
    naming(fixture);
    expect(await shown({ type: 'oauth' })).toContain(`People sign in at ${fixture.origin}.`);
  });
});
