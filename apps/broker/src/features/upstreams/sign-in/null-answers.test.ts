import { text } from 'node:stream/consumers';
import { specTypeSchemas } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { optionalMembers } from '#testing/null-variants.ts';
import { sampled } from '#testing/sample.ts';
import type { Mischief } from './testing/oauth-fixture.ts';
import { startVault, type Vault } from './testing/vault.ts';

// Many authorization servers write null for a member that is absent, or an empty text. Each member of each of their documents that
// the SDK's schemas let be absent is tried as either: the sign-in goes as it goes without that member.

// why the cast: the SDK's type shows the standard interface only
const spec = specTypeSchemas as unknown as Record<keyof typeof specTypeSchemas, z.core.$ZodType>;
type Json = Record<string, unknown>;

let vault: Vault;
beforeAll(async () => {
  vault = await startVault();
});
afterAll(() => vault?.close());

/** How a sign-in goes, and where our client came from. */
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

/** The registration, in the place of the fixture's. */
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
test.each(sampled(members))(
  '[tables] $member of $name, written as $nothing, is as if it were not there',
  async ({ lie, member, nothing }) => {
    const without = await signIn(lie((document) => omit(document, member)));
    expect(await signIn(lie((document) => ({ ...document, [member]: nothing })))).toEqual(without);
  },
);

test.each(documents)('nothing that may be absent from %s is needed', async (_name, schema, lie) => {
  expect(await signIn({})).toMatchObject({ status: 200 });
  // except what says that a client can come to it and how
  const needed = new Set(['code_challenge_methods_supported', 'registration_endpoint', 'authorization_servers']);
  const absent = optionalMembers(schema).filter((member) => !needed.has(member));
  expect(absent.length).toBeGreaterThan(3);
  const nulls = Object.fromEntries(absent.map((member) => [member, null]));
  expect(await signIn(lie((document) => ({ ...document, ...nulls })))).toMatchObject({ status: 200 });
});

test("null beneath Slack's authed_user is as if it were not there", async () => {
  const slack = ({ access_token }: Json) => ({
    ok: true,
    authed_user: { access_token, refresh_token: null, expires_in: null, scope: null },
  });
  expect(await signIn({ tokens: slack })).toMatchObject({ status: 200 });
});
