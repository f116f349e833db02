import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { waitUntil } from '#testing/wait-until.ts';
import type { Mischief } from '../testing/oauth-fixture.ts';
import { areToolsRead, startVault, vaultManifest, type Vault } from '../testing/vault.ts';

// Tokens that authorization servers issue are stored, or refused with a reason before a code is redeemed, or revoked.

let fixture: Vault['fixture'];
let app: Vault['app'];
let ann: Vault['ann'];
let token: string;
let close: Vault['close'];
let nowMs = Date.now();

beforeAll(async () => {
  ({ fixture, app, ann, token, close } = await startVault({ app: () => ({ clock: { now: () => nowMs } }) }));
});
afterEach(async () => {
  fixture.mischief = {};
  await ann.call('DELETE', `/api/users/${ann.userId}/upstream-connections/vault`);
  await app.db.query('delete from upstream_registrations', []);
});
afterAll(() => close?.());

const json = { 'content-type': 'application/json' };
const start = async () => (await ann.call('POST', '/mcp/vault/enable')).body;
async function signIn() {
  const begun = await start();
  const { authUrl } = begun;
  if (typeof authUrl !== 'string') return { status: 0, body: begun, authUrl: '' };
  const back = await fixture.allow(authUrl);
  return { ...(await ann.call('POST', '/mcp/oauth/callback', Object.fromEntries(back))), authUrl };
}
/** Connects without the query for the server's tools, which starts automatically with a sign-in. */
async function connect(): Promise<void> {
  expect(await signIn()).toMatchObject({ status: 200 });
  await waitUntil('the tools', () => areToolsRead(app, 'vault'));
}
const call = async () => {
  const params = { name: 'echo', arguments: { text: 'hi' } };
  return (await postModern(`${app.publicUrl}/s/vault/mcp`, token, 'tools/call', params)).body.result;
};
const works = { content: [{ text: 'hi' }] };
const connection = async () => {
  const { body } = await ann.call('GET', `/api/users/${ann.userId}/upstream-connections`);
  return Object(body['connections'])[0];
};
/** Changes the tokens of the fixture's responses from now on. */
function issuing(change: (honest: Record<string, unknown>) => Record<string, unknown>): string[] {
  const issued: string[] = [];
  fixture.mischief.tokens = (honest) => {
    const answer = change(honest);
    for (const name of ['refresh_token', 'access_token']) {
      if (typeof answer[name] === 'string') issued.push(answer[name]);
    }
    return answer;
  };
  return issued;
}
const registering = (registered: Record<string, unknown>): Mischief => ({
  intercept(request, response) {
    if (request.url !== '/register') return false;
    void text(request).then(() => response.writeHead(201, json).end(JSON.stringify(registered)));
    return true;
  },
});

/**
 * Reported lifetime, and the time for which the tokens are then considered valid (more of them: plain-values.test.ts).
 */
const lifetimes: [unknown, () => number | null][] = [
  [1e308, () => Date.UTC(9999, 0, 1)],
  ['3600', () => nowMs + 3_600_000],
  [{ seconds: 60 }, () => null],
];
test.each(lifetimes)(
  'tokens with a reported lifetime of %j seconds are stored, at the sign-in and at a refresh',
  async (said, until) => {
    issuing((honest) => ({ ...honest, expires_in: said }));
    await connect();
    fixture.forgetAccessTokens();
    expect(await call()).toMatchObject(works);
    const { rows } = await app.db.query<{ expires_at: Date | null }>('select expires_at from upstream_connections');
    expect(rows[0]?.expires_at?.getTime() ?? null).toBe(until());
  },
);

test.each([1e300, {}])('a registration whose secret is valid until %j is stored', async (until) => {
  fixture.mischief = registering({ client_id: 'odd', client_secret_expires_at: until });
  expect(await signIn()).toMatchObject({ status: 200 });
});

test.each([{ client_id: 'a\0b' }, { client_id: 'a', client_secret: 'b\r\nc' }, { client_id: '' }])(
  'a registration as %j is refused with a reason, before the user is sent to sign in',
  async (registered) => {
    fixture.mischief = registering(registered);
    const begun = await start();
    expect(begun).not.toHaveProperty('authUrl');
    expect(begun['message']).toBe(
      `You cannot sign in to vault right now: ${fixture.address} registered us with an invalid client.`,
    );
  },
);

test('scopes that no request can carry are not requested, and no more than fit into an address', async () => {
  const many = Array.from({ length: 300 }, (_, n) => `scope-${n}-${'x'.repeat(180)}`);
  fixture.mischief.intercept = (request, response) => {
    if (request.url !== '/mcp' || request.headers.authorization !== undefined) return false;
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    return true;
  };
  fixture.mischief.resourceMetadata = (honest) => ({
    ...honest,
    scopes_supported: ['read', 'a\0b', 'a b', '"', 'ö', '', 'read', ...many],
  });
  const { status, authUrl } = await signIn();
  expect(status).toBe(200);
  const scopes = new URL(authUrl).searchParams.get('scope')?.split(' ');
  expect(scopes?.slice(0, 2)).toEqual(['read', many[0]]);
  expect(scopes).toHaveLength(22);
  expect(authUrl.length).toBeLessThan(8000);
});

describe.each([
  ['with a line break in it', 'a\nb'],
  ['that is empty', ''],
  ['longer than all headers', 'x'.repeat(20_000)],
])('a token %s', (_what, bad) => {
  test('is refused at the sign-in, and the other tokens of the response are revoked', async () => {
    const issued = issuing((honest) => ({ ...honest, access_token: bad }));
    expect(await signIn()).toMatchObject({
      status: 502,
      body: {
        code: 'sign_in_failed',
        message: 'The sign-in to vault failed: it issued a token that no request can carry.',
      },
    });
    await waitUntil('the tokens to be revoked', () => fixture.revoked.includes(issued[0] ?? ''));
    expect(await connection()).toMatchObject({ state: 'none' });
  });

  test('ends the sign-in at a refresh, with a reason', async () => {
    await connect();
    const issued = issuing((honest) => ({ ...honest, access_token: bad }));
    fixture.forgetAccessTokens();
    expect(await call()).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
    await waitUntil('the tokens to be revoked', () => fixture.revoked.includes(issued[0] ?? ''));
    expect(await connection()).toMatchObject({
      state: 'needs-sign-in',
      error: 'The sign-in has ended: it issued a token that no request can carry.',
    });
  });
});

test('tokens of an unknown type are revoked', async () => {
  const issued = issuing((honest) => ({ ...honest, token_type: 'mac' }));
  expect(await signIn()).toMatchObject({
    status: 502,
    body: { code: 'sign_in_failed', message: 'The sign-in to vault failed: it issued unusable tokens.' },
  });
  await waitUntil('both to be revoked', () => issued.every((one) => fixture.revoked.includes(one)));
  expect(issued).toHaveLength(2);
});

const refusals: [string, number, string, string][] = [
  ['401 invalid_client with a challenge', 401, '{"error":"invalid_client"}', 'Basic realm="vault"'],
  ['a challenge alone', 401, '', 'Bearer realm="x", error="invalid_grant"'],
  ['401 with a page', 401, '<!doctype html>', 'Basic realm="vault"'],
  ['400 interaction_required', 400, '{"error":"interaction_required"}', 'Basic realm="vault"'],
];
test.each(refusals)('a refresh that is refused by %s ends the sign-in', async (_what, status, body, challenge) => {
  await connect();
  fixture.forgetAccessTokens();
  fixture.mischief.intercept = (request, response) => {
    if (request.url !== '/token') return false;
    response.writeHead(status, { ...json, 'www-authenticate': challenge }).end(body);
    return true;
  };
  expect(await call()).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
  expect(await connection()).toMatchObject({
    state: 'needs-sign-in',
    error: 'The sign-in has ended or was withdrawn.',
  });
});

test.each([
  ['503', 503, ''],
  ['429', 429, '{"error":"invalid_request"}'],
  ['400 temporarily_unavailable', 400, '{"error":"temporarily_unavailable"}'],
  ['500 invalid_grant', 500, '{"error":"invalid_grant"}'],
])('a temporary failure of the token endpoint, by %s, ends nothing', async (_what, status, body) => {
  await connect();
  nowMs += 601_000;
  fixture.mischief.intercept = (request, response) => {
    if (request.url !== '/token') return false;
    response.writeHead(status, { ...json, 'www-authenticate': 'Basic realm="proxy"' }).end(body);
    return true;
  };
  expect(await call()).toMatchObject({ _meta: { 'souk/code': 'upstream_unavailable' } });
  fixture.mischief = {};
  expect(await call()).toMatchObject(works);
});

describe('a server that answers 401 now and then', () => {
  /** Refuses this many of the next requests with a token. */
  const refuse = (times: number) => {
    let left = times;
    fixture.mischief.intercept = (request, response) => {
      // health checks come without a token
      if (request.url !== '/mcp' || request.headers.authorization === undefined || left === 0) return false;
      left--;
      response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
      return true;
    };
  };

  test.each([true, false])('ends no sign-in (with a refresh token: %j)', async (refreshes) => {
    issuing(({ refresh_token, ...honest }) => ({ ...honest, ...(refreshes && { refresh_token }) }));
    await connect();
    refuse(1);
    expect(await call()).toMatchObject(works);

    refuse(2);
    expect(await call()).toMatchObject({ _meta: { 'souk/code': 'sign_in_required' } });
    expect(await connection()).toMatchObject({ state: 'needs-sign-in', error: 'The server refuses the sign-in.' });
    const asked = fixture.tokenRequests.length;
    refuse(1);
    expect(await call()).toMatchObject({ _meta: { 'souk/code': 'sign_in_required' } });
    // its next calls need no refresh
    expect(fixture.tokenRequests).toHaveLength(asked);
    expect(await call()).toMatchObject(works);
    await waitUntil('the account to show it', async () => (await connection()).state === 'signed-in');
    expect(await connection()).not.toHaveProperty('error');
  });
});

describe('an identity token at a refresh', () => {
  /** Builds the identity token of this user. */
  const of = (sub: string) =>
    issuing((honest) => {
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const aud = fixture.tokenRequests.at(-1)?.get('client_id');
      return {
        ...honest,
        id_token: `${part({ alg: 'ES256' })}.${part({ iss: fixture.origin, aud, sub, name: sub })}.c2ln`,
      };
    });

  test('of the same user changes nothing; of another user it ends the sign-in, and those tokens are revoked', async () => {
    of('ann');
    await connect();
    expect(await connection()).toMatchObject({ account: 'ann' });
    fixture.forgetAccessTokens();
    expect(await call()).toMatchObject(works);
    const issued = of('bob');
    fixture.forgetAccessTokens();
    expect(await call()).toMatchObject({ _meta: { 'souk/code': 'sign_in_required' } });
    expect(await connection()).toMatchObject({
      state: 'needs-sign-in',
      error: "The sign-in has ended: it answered with another user's account.",
    });
    await waitUntil('both to be revoked', () => issued.every((one) => fixture.revoked.includes(one)));
    expect(fixture.seen).not.toContain(`Bearer ${issued[1]}`);
  });
});

test('an authorization server that answers 500 for a quarter of an hour gets few requests, and ends no sign-in', async () => {
  await connect();
  let asked = 0;
  nowMs += 601_000;
  fixture.mischief.intercept = (request, response) => {
    if (request.url !== '/token') return false;
    asked++;
    response.writeHead(500, json).end('{"error":"server_error"}');
    return true;
  };
  for (let minute = 0; minute < 15; minute++) {
    expect(await call()).toMatchObject({ _meta: { 'souk/code': 'upstream_unavailable' } });
    nowMs += 60_000;
  }
  // meanwhile the circuit of the server is open for this user
  expect(asked).toBeGreaterThan(2);
  expect(asked).toBeLessThan(15);
  expect(await connection()).toMatchObject({ state: 'signed-in' });
  fixture.mischief = {};
  nowMs += 301_000;
  expect(await call()).toMatchObject(works);
});

test('a manifest that is edited during a sign-in makes the user start again, before the code is redeemed', async () => {
  const back = await fixture.allow(String((await start())['authUrl']));
  const version = (number: string, change: object) =>
    deployManifest(app, { ...vaultManifest(fixture), ...change, version: number });
  await version('2.0.0', { auth: { type: 'oauth', clientId: 'another' } });
  const before = fixture.tokenRequests.length;
  const finish = () => ann.call('POST', '/mcp/oauth/callback', Object.fromEntries(back));
  expect(await finish()).toMatchObject({
    status: 400,
    body: { message: 'How people sign in to vault has changed since you started. Please start again.' },
  });
  await version('3.0.0', {});
  const again = await fixture.allow(String((await start())['authUrl']));
  await version('4.0.0', { auth: { type: 'none' } });
  expect(await ann.call('POST', '/mcp/oauth/callback', Object.fromEntries(again))).toMatchObject({ status: 400 });
  expect(fixture.tokenRequests).toHaveLength(before);
  await version('5.0.0', {});
});
