import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createVault } from '#platform/crypto/vault.ts';
import { createIds } from '#platform/ids.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/mcp-clients.ts';
import { startTestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { cookieName } from './browser-cookie.ts';
import { clientFor } from './client-identity.ts';
import { signInPerson } from './testing/person.ts';
import { isOfferRead, signInAt, startVault, vaultManifest, type Vault } from './testing/vault.ts';

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
    app: { env: { UPSTREAM_CLIENT_SECRET_VAULT: operatorSecret } },
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

const offer = (methods: string[] | undefined) => {
  fixture.mischief.serverMetadata = (honest) => ({ ...honest, token_endpoint_auth_methods_supported: methods });
};
/** Signs in, and makes a call with a token that had to be renewed. Answers the client id that the browser carried. */
async function signInAndRenew(serverId: string): Promise<string | null> {
  const authUrl = await signInAt(ann, fixture, serverId);
  await waitUntil('the offer to be read', () => isOfferRead(app, serverId));
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
  offer(offered);
  expect(await signInAndRenew('vault')).toBe('souk at vault');
  expect(fixture.registrations).toEqual([]);
  expect(fixture.clientAuthentications).toEqual([method, method]);
});

test.each(['client_secret_basic', 'client_secret_post'])(
  'where every client needs a secret we register for one, keep it sealed, and show it by %s',
  async (method) => {
    await app.db.query('delete from upstream_clients');
    offer([method]);
    const first = await signInAndRenew('open-vault');
    expect(fixture.registrations).toMatchObject([
      { token_endpoint_auth_method: method, redirect_uris: [`${app.publicUrl}/connect/callback`] },
    ]);
    // the next sign-in is the same client's
    expect(await signInAndRenew('open-vault')).toBe(first);
    expect(fixture.registrations).toHaveLength(1);
    expect(new Set(fixture.clientAuthentications)).toEqual(new Set([method]));
    const { rows } = await app.db.query('select * from upstream_clients');
    expect(rows).toMatchObject([
      { client_id: first, auth_method: method, sealed_secret: expect.stringMatching(/^v1\./) },
    ]);
    expect(JSON.stringify(rows) + app.logged()).not.toContain('secret-');
  },
);

test('a client secret that the server revokes ends the sign-in, and the account says so', async () => {
  offer(undefined);
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

test('on https our client id is our metadata document where the server supports that, without a registration', async () => {
  const publicUrl = 'https://souk.test';
  const onHttps = await startTestApp({ env: { PUBLIC_URL: publicUrl, ALLOW_DEV_SIGN_IN: '1', PAYMENTS: 'off' } });
  const path = '/client-metadata.json';
  const answer = await onHttps.server.inject({ url: path, headers: { host: 'souk.test' } });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-type']).toContain('application/json');
  expect(answer.json()).toMatchObject({
    // the document names itself (draft-ietf-oauth-client-id-metadata-document, section 3)
    client_id: `${publicUrl}${path}`,
    redirect_uris: [`${publicUrl}/connect/callback`],
    token_endpoint_auth_method: 'none',
  });
  const server = {
    issuer: 'https://vault.example',
    authorization_endpoint: 'https://vault.example/authorize',
    token_endpoint: 'https://vault.example/token',
    registration_endpoint: 'https://vault.example/register',
    client_id_metadata_document_supported: true,
  };
  const options = {
    db: onHttps.db,
    vault: createVault('A'.repeat(43)),
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
    clientFor(offered, undefined, { ...options, publicUrl: at }, fetch, 'UPSTREAM_CLIENT_ID_VAULT');
  expect(await client(publicUrl)).toEqual({ clientId: answer.json().client_id, authMethod: 'none' });
  expect(asked).toEqual([]);
  // a document on plain http identifies no client
  expect(await client('http://localhost:3000')).toMatchObject({ clientId: 'registered' });
  const older = { ...server, client_id_metadata_document_supported: false };
  expect(await client(publicUrl, older)).toMatchObject({ clientId: 'registered' });
  expect(asked).toEqual([server.registration_endpoint, server.registration_endpoint]);
  await onHttps.stop();
});

test('on plain http there is no metadata document', async () => {
  expect((await fetch(`${app.publicUrl}/client-metadata.json`)).status).toBe(404);
});

test('two sign-ins that begin at once in a new browser both finish', async () => {
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
