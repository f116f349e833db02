import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createVault } from '#platform/crypto/vault.ts';
import { createIds } from '#platform/ids.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { cookieName } from '../browser-cookie.ts';
import { clientFor } from './client-identity.ts';
import { signInPerson } from '../testing/person.ts';
import { areToolsRead, signInAt, startVault, vaultManifest, type Vault } from '../testing/vault.ts';

/** Characters that Basic has to encode (RFC 6749 section 2.3.1). */
const operatorSecret = 'op:secret/5f1d+';
let fixture: Vault['fixture'];
let app: Vault['app'];
let ann: Vault['ann'];
let token: string;
let close: Vault['close'];

beforeAll(async () => {
  ({ fixture, app, ann, token, close } = await startVault({
    fixture: { clients: { 'souk at vault': operatorSecret } },
    app: ({ origin }) => ({
      env: { UPSTREAM_CLIENT_SECRET_VAULT: operatorSecret, UPSTREAM_CLIENT_ISSUER_VAULT: origin },
    }),
    manifest: () => ({ auth: { type: 'oauth', clientId: 'souk at vault' } }),
  }));
  await deployManifest(app, { ...vaultManifest(fixture), id: 'open-vault' });
});
afterEach(() => {
  fixture.mischief = {};
  fixture.registrations.length = 0;
  fixture.clientAuthentications.length = 0;
});
afterAll(() => close?.());

const announce = (methods: string[] | undefined) => {
  fixture.mischief.serverMetadata = (honest) => ({ ...honest, token_endpoint_auth_methods_supported: methods });
};
/** Signs in, and makes a call with a token that had to be renewed. Returns the client id of the sign-in. */
async function signInAndRenew(serverId: string): Promise<string | null> {
  const authUrl = await signInAt(ann, fixture, serverId);
  await waitUntil('the tools to be read', () => areToolsRead(app, serverId));
  fixture.forgetAccessTokens();
  const params = { name: 'echo', arguments: { text: 'hi' } };
  const answer = await postModern(`${app.publicUrl}/s/${serverId}/mcp`, token, 'tools/call', params);
  expect(answer.body.result).toMatchObject({ content: [{ text: 'hi' }] });
  return authUrl.searchParams.get('client_id');
}

test.each([
  // absent means basic (RFC 8414 section 2)
  [undefined, 'client_secret_basic'],
  [['client_secret_basic', 'client_secret_post'], 'client_secret_basic'],
  [['client_secret_post'], 'client_secret_post'],
])("the manifest's client shows the operator's secret, where %j is on offer by %s", async (offered, method) => {
  announce(offered);
  expect(await signInAndRenew('vault')).toBe('souk at vault');
  expect(fixture.registrations).toEqual([]);
  expect(fixture.clientAuthentications).toEqual([method, method]);
});

test.each(['client_secret_basic', 'client_secret_post'])(
  'if every client needs a secret we register for one, keep it sealed, and authenticate by %s',
  async (method) => {
    await app.db.query('delete from upstream_registrations');
    announce([method]);
    const first = await signInAndRenew('open-vault');
    expect(fixture.registrations).toMatchObject([
      { token_endpoint_auth_method: method, redirect_uris: [`${app.publicUrl}/connect/callback`] },
    ]);
    // the next sign-in uses the same client
    expect(await signInAndRenew('open-vault')).toBe(first);
    expect(fixture.registrations).toHaveLength(1);
    expect(new Set(fixture.clientAuthentications)).toEqual(new Set([method]));
    const { rows } = await app.db.query('select * from upstream_registrations');
    expect(rows).toMatchObject([
      { client_id: first, auth_method: method, sealed_secret: expect.stringMatching(/^v1\./) },
    ]);
    expect(JSON.stringify(rows) + app.logged()).not.toContain('secret-');
  },
);

test('a registration belongs to one server and one place: two servers of one issuer, or another token endpoint, have separate ones', async () => {
  await deployManifest(app, { ...vaultManifest(fixture), id: 'third-vault' });
  const carl = await signInPerson(app.publicUrl, 'carl@souk.test');
  const clientOf = async (serverId: string, person = ann) => {
    const path = `/api/users/${person.userId}/upstream-connections/${serverId}/sign-in`;
    const { body } = await person.call('POST', path);
    return new URL(String(body['authUrl'])).searchParams.get('client_id');
  };
  await app.db.query('delete from upstream_registrations');
  const open = await clientOf('open-vault');
  expect(await clientOf('open-vault', carl)).toBe(open);
  expect(await clientOf('third-vault')).not.toBe(open);
  fixture.mischief.serverMetadata = (honest) => ({ ...honest, token_endpoint: `${fixture.origin}/token2` });
  expect(await clientOf('open-vault')).not.toBe(open);
  expect(fixture.registrations).toHaveLength(3);
});

test('a client secret that the server revokes ends the sign-in, and the account says so', async () => {
  announce(undefined);
  await signInAndRenew('vault');
  fixture.mischief.intercept = (request, response) => {
    if (request.url !== '/token') return false;
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}');
    return true;
  };
  fixture.forgetAccessTokens();
  const params = { name: 'echo', arguments: { text: 'hi' } };
  const answer = await postModern(`${app.publicUrl}/s/vault/mcp`, token, 'tools/call', params);
  expect(answer.body.result).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
  expect(app.logged()).not.toContain(operatorSecret);
});

test('on https our client id is our metadata document if the server supports that, without a registration', async () => {
  const publicUrl = 'https://souk.test';
  const onHttps = await startTestApp({ env: { PUBLIC_URL: publicUrl, ALLOW_DEV_SIGN_IN: '1', PAYMENTS: 'off' } });
  await deployManifest(onHttps, { ...vaultManifest(fixture), id: 'vault' }, 'unasked');
  const document = async (path: string) => {
    const answer = await onHttps.server.inject({ url: path, headers: { host: 'souk.test' } });
    return { status: answer.statusCode, type: answer.headers['content-type'], body: answer.json() };
  };
  const path = '/client-metadata/vault.json';
  const callback = `${publicUrl}/connect/callback`;
  expect(await document(path)).toMatchObject({
    status: 200,
    type: expect.stringContaining('application/json'),
    // the document names itself (draft-ietf-oauth-client-id-metadata-document, section 3)
    body: {
      client_id: `${publicUrl}${path}`,
      redirect_uris: [callback, `${callback}?server=vault`],
      token_endpoint_auth_method: 'none',
    },
  });
  expect(await document('/client-metadata/unknown.json')).toMatchObject({ status: 404 });
  const server = {
    issuer: 'https://vault.example',
    authorization_endpoint: 'https://vault.example/authorize',
    token_endpoint: 'https://vault.example/token',
    registration_endpoint: 'https://vault.example/register',
    client_id_metadata_document_supported: true,
  };
  const options = {
    db: onHttps.db,
    vault: createVault(randomBytes(32).toString('base64url')),
    clock: systemClock,
    ids: createIds(systemClock),
    brandName: 'Souk',
  };
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    return Response.json({ client_id: 'registered' }, { status: 201 });
  };
  const client = (at: string, offered = server) =>
    clientFor('vault', offered, undefined, { ...options, publicUrl: at }, fetch);
  const ofVault = { client: { clientId: `${publicUrl}${path}`, authMethod: 'none' } };
  expect(await client(publicUrl)).toEqual({ ...ofVault, redirectUri: `${callback}?server=vault` });
  const namesItself = { ...server, authorization_response_iss_parameter_supported: true };
  expect(await client(publicUrl, namesItself)).toEqual({ ...ofVault, redirectUri: callback });
  expect(asked).toEqual([]);
  // a document on plain http identifies no client
  expect(await client('http://localhost:3000')).toMatchObject({ client: { clientId: 'registered' } });
  const without = { ...server, client_id_metadata_document_supported: false };
  expect(await client(publicUrl, without)).toMatchObject({ client: { clientId: 'registered' } });
  expect(asked).toEqual([server.registration_endpoint, server.registration_endpoint]);
  await onHttps.stop();
});

test('on plain http there is no metadata document', async () => {
  expect((await fetch(`${app.publicUrl}/client-metadata/vault.json`)).status).toBe(404);
});

test('two sign-ins that begin concurrently in a new browser both finish', async () => {
  const bob = await signInPerson(app.publicUrl, 'bob@souk.test');
  const begun = await Promise.all(['vault', 'open-vault'].map((id) => bob.call('POST', `/mcp/${id}/enable`)));
  expect(begun.map(({ body }) => body['provider'])).toEqual([fixture.address, fixture.address]);
  const backs = await Promise.all(begun.map(({ body }) => fixture.allow(String(body['authUrl']))));
  for (const back of backs) {
    expect(bob.browser.cookie(cookieName(back.get('state') ?? ''))).toHaveLength(43);
    expect(await bob.call('POST', '/mcp/oauth/callback', Object.fromEntries(back))).toMatchObject({ status: 200 });
    expect(bob.browser.cookie(cookieName(back.get('state') ?? ''))).toBeUndefined();
  }
});
