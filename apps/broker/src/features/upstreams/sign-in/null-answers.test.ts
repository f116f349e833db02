import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { specTypeSchemas } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { optionalMembers } from '#testing/figures/null-variants.ts';
import { sampled } from '#testing/figures/sample.ts';
import type { Mischief } from './testing/oauth-fixture.ts';
import { signInAt, startVault, type Vault } from './testing/vault.ts';

// Many authorization servers write null, or an empty text, for an absent member. Each member of their documents that
// may be absent by the SDK's schemas is tried with both: the sign-in must go as without that member.

// why the cast: the SDK's type shows the standard interface only
const spec = specTypeSchemas as unknown as Record<keyof typeof specTypeSchemas, z.core.$ZodType>;
type Json = Record<string, unknown>;

let vault: Vault;
beforeAll(async () => {
  vault = await startVault();
});
afterEach(async () => {
  vault.fixture.mischief = {};
  await vault.ann.call('DELETE', `/api/users/${vault.ann.userId}/upstream-connections/vault`);
});
afterAll(() => vault?.close());

/** Returns how a sign-in went, and where our client came from. */
async function signIn(mischief: Mischief): Promise<unknown> {
  const { ann, app, fixture } = vault;
  await ann.call('DELETE', `/api/users/${ann.userId}/upstream-connections/vault`);
  await app.db.query('delete from upstream_registrations', []);
  fixture.mischief = mischief;
  const seen = fixture.tokenRequests.length;
  const { authUrl, ...started } = (await ann.call('POST', '/mcp/vault/enable')).body;
  if (typeof authUrl !== 'string') return started;
  const back = await fixture.allow(authUrl);
  const { status, body } = await ann.call('POST', '/mcp/oauth/callback', Object.fromEntries(back));
  const { rows } = await app.db.query('select expires_at is null as lasts, scopes from upstream_connections', []);
  return {
    status,
    body,
    rows,
    clients: fixture.clientAuthentications.slice(seen),
    scope: new URL(authUrl).searchParams.get('scope'),
  };
}

/** Replaces the fixture's registration response. */
const registers = (change: (honest: Json) => Json): Mischief => ({
  intercept(request, response) {
    if (request.url !== '/register') return false;
    void text(request).then(() => {
      const honest = { client_id: 'registered', redirect_uris: [`${vault.app.publicUrl}/connect/callback`] };
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(change(honest)));
    });
    return true;
  },
});

const documents: [string, z.core.$ZodType, (change: (honest: Json) => Json) => Mischief][] = [
  ["a resource's metadata", spec.OAuthProtectedResourceMetadata, (change) => ({ resourceMetadata: change })],
  ["an authorization server's metadata", spec.OAuthMetadata, (change) => ({ serverMetadata: change })],
  ["an OpenID provider's metadata", spec.OpenIdProviderMetadata, (change) => ({ serverMetadata: change })],
  ['a registration', spec.OAuthClientInformationFull, registers],
  ['tokens', spec.OAuthTokens, (change) => ({ tokens: change })],
];

const omit = (document: Json, member: string): Json =>
  Object.fromEntries(Object.entries(document).filter(([key]) => key !== member));

const members = documents.flatMap(([name, schema, lie]) =>
  optionalMembers(schema).flatMap((member) => [null, ''].map((nothing) => ({ name, lie, member, nothing }))),
);
// a case takes two sign-ins
test.each(sampled(members, undefined, 16))(
  '[tables] $member of $name, written as $nothing, means absent',
  async ({ lie, member, nothing }) => {
    const without = await signIn(lie((document) => omit(document, member)));
    expect(await signIn(lie((document) => ({ ...document, [member]: nothing })))).toEqual(without);
  },
);

test.each(documents)('a sign-in needs none of the optional members of %s', async (_name, schema, lie) => {
  // except those that say that and how a client can sign in
  const needed = new Set(['code_challenge_methods_supported', 'registration_endpoint', 'authorization_servers']);
  const absent = optionalMembers(schema).filter((member) => !needed.has(member));
  expect(absent.length).toBeGreaterThan(3);
  const nulls = Object.fromEntries(absent.map((member) => [member, null]));
  expect(await signIn(lie((document) => ({ ...document, ...nulls })))).toMatchObject({ status: 200 });
});

test("null inside Slack's authed_user means absent", async () => {
  const slack = ({ access_token }: Json) => ({
    ok: true,
    authed_user: { access_token, refresh_token: null, expires_in: null, scope: null },
  });
  expect(await signIn({ tokens: slack })).toMatchObject({ status: 200 });
});

// Many sites answer every unknown address with their page and 200, so also where a document is expected.
describe('a page instead of a document', () => {
  const page = (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'Text/HTML; charset=utf-8' }).end('<!doctype html><title>Shop');

  /** Serves the page at every well-known address except this one; and the server's 401 names nothing. */
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

  test('a page instead of resource metadata is ignored: the server is its own authorization server', async () => {
    const { origin } = vault.fixture;
    const document = metadataOf(origin, origin);
    vault.fixture.mischief = { intercept: pagesBut('/.well-known/oauth-authorization-server', document) };
    expect((await signInAt(vault.ann, vault.fixture)).searchParams.get('resource')).toBe(`${origin}/mcp`);
  });

  test.each([
    '/.well-known/oauth-authorization-server/tenant',
    '/.well-known/openid-configuration/tenant',
    '/tenant/.well-known/openid-configuration',
  ])('a page at an address of authorization server metadata is ignored: the metadata is at %s', async (known) => {
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

  test('a site with only pages does not say how to sign in', async () => {
    vault.fixture.mischief = { intercept: pagesBut('/nowhere', {}) };
    const { body } = await vault.ann.call('POST', '/mcp/vault/enable');
    expect(body).toMatchObject({
      code: 'sign_in_unavailable',
      message: `You cannot sign in to vault right now: ${new URL(vault.fixture.origin).host} does not say how to sign in.`,
    });
  });
});
