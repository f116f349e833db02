import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { signInAt, startVault, type Vault } from './testing/vault.ts';

// Many sites answer with their page, and 200, at every address that they do not know, so also where a document may be.

let vault: Vault;
beforeAll(async () => {
  vault = await startVault();
});
afterEach(async () => {
  vault.fixture.mischief = {};
  await vault.ann.call('DELETE', `/api/users/${vault.ann.userId}/upstream-connections/vault`);
});
afterAll(() => vault?.close());

const page = (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'Text/HTML; charset=utf-8' }).end('<!doctype html><title>Shop');

/** Every well-known address has the page, except for this one; and the server's 401 says nothing. */
function pagesBut(known: string, document: object) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { url = '', headers } = request;
    if (url === known) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    else if (url.includes('/.well-known/')) page(response);
    else if (url === '/mcp' && headers.authorization === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    } else return false;
    return true;
  };
}

const metadataOf = (issuer: string, origin: string) => ({
  issuer,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  code_challenge_methods_supported: ['S256'],
});

test('a page in the place of metadata of the resource is none: the server is its own authorization server', async () => {
  const { origin } = vault.fixture;
  const document = metadataOf(origin, origin);
  vault.fixture.mischief = { intercept: pagesBut('/.well-known/oauth-authorization-server', document) };
  expect((await signInAt(vault.ann, vault.fixture)).searchParams.get('resource')).toBe(`${origin}/mcp`);
});

test.each([
  '/.well-known/oauth-authorization-server/tenant',
  '/.well-known/openid-configuration/tenant',
  '/tenant/.well-known/openid-configuration',
])('a page where metadata of the authorization server may be is none: it is at %s', async (known) => {
  const { origin } = vault.fixture;
  const issuer = `${origin}/tenant`;
  const others = pagesBut(known, metadataOf(issuer, origin));
  const resource = pagesBut('/.well-known/oauth-protected-resource/mcp', {
    resource: `${origin}/mcp`,
    authorization_servers: [issuer],
  });
  vault.fixture.mischief = {
    intercept: (request, response) =>
      (request.url?.startsWith('/.well-known/oauth-protected-resource') ? resource : others)(request, response),
    redirect: (back) => back.set('iss', issuer),
  };
  expect((await signInAt(vault.ann, vault.fixture)).pathname).toBe('/authorize');
});

test('a site that has only pages does not say how to sign in', async () => {
  vault.fixture.mischief = { intercept: pagesBut('/nowhere', {}) };
  const { body } = await vault.ann.call('POST', '/mcp/vault/enable');
  expect(body).toMatchObject({
    code: 'sign_in_unavailable',
    message: `You cannot sign in to vault right now: ${new URL(vault.fixture.origin).host} does not say how to sign in.`,
  });
});
