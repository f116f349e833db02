import { expect, test } from 'vitest';
import { discoverSignIn } from './issuers/discover-sign-in.ts';
import { doubtsOf } from './issuers/doubts-of.ts';

// Various authorization servers: their documents by address. `down` does not respond.

const url = 'https://mcp.shop.example/mcp';
const down = 'down';
type Documents = Record<string, object | typeof down>;

function discover(documents: Documents, issuer?: string) {
  const asked: string[] = [];
  const found = discoverSignIn({ url, allowAddresses: [] }, issuer, async (address) => {
    asked.push(address);
    const document = Object.entries(documents).find(([start]) => address.startsWith(start))?.[1];
    if (document === down) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    return new Response(JSON.stringify(document ?? {}), { status: document ? 200 : 404 });
  });
  return { asked, found };
}

const resource = (...issuers: string[]): Documents => ({
  'https://mcp.shop.example/.well-known/oauth-protected-resource/mcp': {
    resource: url,
    ...(issuers.length > 0 && { authorization_servers: issuers }),
  },
});
const server = (issuer: string, at = issuer, more: object = {}) => ({
  [`${new URL(issuer).origin}/.well-known/oauth-authorization-server`]: {
    issuer,
    authorization_endpoint: `${at}/authorize`,
    token_endpoint: `${at}/token`,
    code_challenge_methods_supported: ['S256'],
    ...more,
  },
});
const issuerOf = async (documents: Documents, issuer?: string) =>
  (await discover(documents, issuer).found).authorizationServer.issuer;

const [one, two] = ['https://one.shop.example', 'https://two.shop.example'];

test('the first authorization server that responds is used', async () => {
  expect(await issuerOf({ ...resource(one, two), ...server(one), ...server(two) })).toBe(one);
  // unreachable, or without metadata
  expect(await issuerOf({ ...resource(one, two), [one]: down, ...server(two) })).toBe(two);
  expect(await issuerOf({ ...resource(one, two), ...server(two) })).toBe(two);
  await expect(issuerOf({ ...resource(one, two), [one]: down })).rejects.toThrow(
    `none of its authorization servers answers: ${one}, ${two}`,
  );
});

test('an authorization server with false metadata is not skipped', async () => {
  const { asked, found } = discover({ ...resource(one, two), ...server(one, one, { issuer: two }), ...server(two) });
  await expect(found).rejects.toThrow(`${one} presents the metadata of another issuer, ${two}`);
  expect(asked.filter((address) => address.startsWith(two))).toEqual([]);
  await expect(issuerOf({ ...resource('http://10.0.0.1', two), ...server(two) })).rejects.toThrow('http://10.0.0.1');
  const plain = server(one, one, { code_challenge_methods_supported: ['plain'] });
  await expect(issuerOf({ ...resource(one, two), ...plain, ...server(two) })).rejects.toThrow('PKCE');
});

test.each([
  [`${one}/tenant`, `${one}/tenant/`],
  [`${one}/tenant/`, `${one}/tenant`],
  [one, `${one}/`],
])('%s and %s are one issuer', async (named, itself) => {
  const documents = { ...resource(named), ...server(itself, one) };
  expect(await issuerOf(documents)).toBe(itself);
});

test.each([`${one}/tenant2`, `${one}/tenant//`, `${one}/Tenant`, `${one}:8443/tenant`, `${one}/tenant?a=b`, two])(
  '%s is another issuer than the requested one, and both are named',
  async (itself) => {
    const documents = { ...resource(`${one}/tenant`), ...server(`${one}/tenant`, one, { issuer: itself }) };
    await expect(issuerOf(documents)).rejects.toThrow(
      `${one}/tenant presents the metadata of another issuer, ${itself}`,
    );
  },
);

test('a manifest names the authorization server of a server that has no metadata, or several', async () => {
  expect(await issuerOf({ ...server(two) }, two)).toBe(two);
  expect(await issuerOf({ ...resource(), ...server(two) }, two)).toBe(two);
  expect(await issuerOf({ ...resource(one, `${two}/`), ...server(one), ...server(two) }, two)).toBe(two);
  // never one that the server does not name
  const { asked, found } = discover({ ...resource(one), ...server(one), ...server(two) }, two);
  expect((await found).authorizationServer.issuer).toBe(one);
  expect(asked.filter((address) => address.startsWith(two))).toEqual([]);
});

test('an administrator has to decide about another site, endpoints elsewhere, and PKCE that is not mentioned', async () => {
  const doubts = async (documents: Documents, origins?: string[]) => {
    const { authorizationServer, ...found } = await discover(documents).found;
    return doubtsOf({ resource: found.resource, server: authorizationServer }, origins);
  };
  expect(await doubts({ ...resource(one), ...server(one) })).toEqual([]);
  // as in Cognito
  const issuer = 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Ab1';
  const at = 'https://shop.auth.eu-west-1.amazoncognito.com/oauth2';
  const cognito = { ...resource(issuer), ...server(issuer, at, { code_challenge_methods_supported: undefined }) };
  expect(await doubts(cognito)).toEqual(['other-site', 'other-origins', 'no-pkce']);
  expect(await doubts(cognito, [new URL(at).origin])).toEqual(['other-site', 'no-pkce']);
  expect(await doubts({ ...resource(one), ...server(one, one, { revocation_endpoint: `${two}/r` }) })).toEqual([
    'other-origins',
  ]);
});
