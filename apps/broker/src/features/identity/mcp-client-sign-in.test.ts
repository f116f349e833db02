import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases.ts';
import { ScriptedBrowser, challengeOf, readTokens } from '#testing/scripted-browser.ts';
import { sha256 } from './hash.ts';
import { identityMigrations } from './migrations.ts';
import { ScriptedClientProvider } from '#testing/scripted-client-provider.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

describeOnDatabases('MCP clients sign in', identityMigrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());

  const newBrowser = () => new ScriptedBrowser(running.publicUrl);
  const register = (metadata: object) =>
    fetch(`${running.publicUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    });
  const call = async (token: string, path = '/mcp') =>
    (
      await fetch(running.publicUrl + path, {
        method: 'POST',
        ...(token !== '' && { headers: { authorization: `Bearer ${token}` } }),
      })
    ).status;
  const postToken = (fields: Record<string, string>) =>
    fetch(`${running.publicUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
  const refresh = (client: { clientId: string; refreshToken: string }, more: Record<string, string> = {}) =>
    postToken({
      grant_type: 'refresh_token',
      client_id: client.clientId,
      refresh_token: client.refreshToken,
      ...more,
    });
  /** How many refresh tokens of this token's authorization are still to be used: how many lines live on. */
  const unusedRefreshTokens = async (accessToken: string) => {
    const { rows } = await running.db.query(
      `select 1 from oauth_records where model = 'RefreshToken' and grant_id = $1 and consumed_at is null`,
      [claimsOf(accessToken)['gid']],
    );
    return rows.length;
  };
  const authorize = (clientId: string, fields: Record<string, string> = {}) =>
    newBrowser().authorizeUrl({
      client_id: clientId,
      redirect_uri: 'http://127.0.0.1:53999/callback',
      code_challenge: challengeOf('verifier'),
      ...fields,
    });

  test('[TOK-2] [TOK-3] [TOK-4] [TOK-6] a token opens exactly the MCP endpoint that it is for', async () => {
    const everything = await newBrowser().signInMcpClient();
    const travel = await newBrowser().signInMcpClient({ resource: `${running.publicUrl}/s/travel/mcp` });
    const web = await newBrowser().signInWeb();
    expect(await call(everything.accessToken, '/mcp')).toBe(200);
    expect(await call(everything.accessToken, '/s/travel/mcp')).toBe(401);
    expect(await call(travel.accessToken, '/s/travel/mcp')).toBe(200);
    expect(await call(travel.accessToken, '/s/notes/mcp')).toBe(401);
    expect(await call(travel.accessToken, '/mcp')).toBe(401);
    expect(await call(web.accessToken, '/mcp')).toBe(401);
    expect(await call('', '/mcp')).toBe(401);
  });

  test('the official client signs in by itself: discovery, registration, sign-in, one consent, token', async () => {
    const browser = newBrowser();
    const provider = new ScriptedClientProvider(browser, 'http://localhost:53998/callback');
    const connect = () =>
      new Client({ name: 'test', version: '1' }).connect(
        new StreamableHTTPClientTransport(new URL(`${running.publicUrl}/mcp`), { authProvider: provider }),
      );
    // The probe endpoint authenticates and speaks no MCP: getting past 401 is what counts here.
    await connect().catch(() => undefined);
    expect(provider.callback?.searchParams.get('iss')).toBe(running.publicUrl);
    const transport = new StreamableHTTPClientTransport(new URL(`${running.publicUrl}/mcp`), {
      authProvider: provider,
    });
    if (!provider.callback) throw new Error('the client did not ask for sign-in');
    await transport.finishAuth(provider.callback.searchParams);
    expect(await call(provider.token())).toBe(200);
    expect(browser.trail.filter((step) => step.startsWith('POST /oauth/interaction/'))).toHaveLength(1);
  });

  test('consent is asked before Google is, and again each time', async () => {
    const browser = newBrowser();
    await browser.signInMcpClient();
    const consentAt = browser.trail.findIndex((step) => step.startsWith('POST /oauth/interaction/'));
    const chooseAt = browser.trail.findIndex((step) => step.includes('/dev-google/choose/'));
    expect(consentAt).toBeGreaterThan(-1);
    expect(chooseAt).toBeGreaterThan(consentAt);
    const shown = browser.trail.length;
    await browser.signInMcpClient();
    expect(browser.trail.slice(shown).filter((step) => step.startsWith('POST /oauth/interaction/'))).toHaveLength(1);
  });

  test('the consent page names client, redirect host and scopes, escapes the name, and lets its form end at the client', async () => {
    const { client_id: clientId } = await readRegistration(
      await register({
        client_name: '<img src=x onerror=alert(1)>\u202Egnp',
        redirect_uris: ['cursor://anysphere.cursor/oauth'],
      }),
    );
    const step = await newBrowser().open(authorize(clientId, { redirect_uri: 'cursor://anysphere.cursor/oauth' }));
    if (!('page' in step)) throw new Error('no consent page');
    expect(step.page.text).not.toContain('<img');
    expect(step.page.text).not.toContain('\u202E');
    expect(step.page.text).toContain('Unverified application');
    expect(step.page.text).toContain('<strong>cursor:</strong>');
    expect(step.page.text).toContain('List and use your tools');
    const policy = step.page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toMatch(/form-action 'self' https: cursor:$/);
    expect(step.page.headers.get('x-frame-options')).toBe('DENY');
  });

  test('a loopback redirect is allowed by the consent page, port included', async () => {
    const { client_id: clientId } = await readRegistration(
      await register({ redirect_uris: ['http://localhost/callback'] }),
    );
    const step = await newBrowser().open(authorize(clientId, { redirect_uri: 'http://localhost:41234/callback' }));
    expect('page' in step && step.page.headers.get('content-security-policy')).toContain('http://localhost:41234');
  });

  test('consent cannot be skipped by going on without it', async () => {
    const { client_id: clientId } = await readRegistration(
      await register({ redirect_uris: ['https://app.example/cb'] }),
    );
    const browser = newBrowser();
    await browser.signInWeb();
    const url = authorize(clientId, { redirect_uri: 'https://app.example/cb' });
    const step = await browser.open(url);
    if (!('page' in step)) throw new Error('no consent page');
    const resumed = await browser.open(step.page.url.pathname.replace('/interaction/', '/authorize/'));
    expect('page' in resumed && resumed.page.text).toContain('name="allow"');
  });

  test('a consent form of another site is refused', async () => {
    const { client_id: clientId } = await readRegistration(
      await register({ redirect_uris: ['https://app.example/cb'] }),
    );
    const browser = newBrowser();
    const step = await browser.open(authorize(clientId, { redirect_uri: 'https://app.example/cb' }));
    if (!('page' in step)) throw new Error('no consent page');
    const answer = await browser.postForm(step.page.url.pathname, { allow: '1' }, { origin: 'https://evil.test' });
    expect(answer.status).toBe(403);
  });

  test('Cancel tells the client access_denied with state and iss', async () => {
    const { client_id: clientId } = await readRegistration(
      await register({ redirect_uris: ['https://app.example/cb'] }),
    );
    const left = await newBrowser().signIn(authorize(clientId, { redirect_uri: 'https://app.example/cb' }), {
      allow: false,
    });
    expect(left.searchParams.get('error')).toBe('access_denied');
    expect(left.searchParams.get('state')).toBe('state-of-the-client');
    expect(left.searchParams.get('iss')).toBe(running.publicUrl);
  });

  test('a foreign resource is invalid_target, and so is the API for a client', async () => {
    const { client_id: clientId } = await readRegistration(
      await register({ redirect_uris: ['http://127.0.0.1/callback'] }),
    );
    const { publicUrl } = running;
    for (const resource of [
      'https://other.test/mcp',
      `${publicUrl}/api`,
      `${publicUrl}/s/UPPER/mcp`,
      `${publicUrl}/s/oauth/mcp`,
      `${publicUrl}/s/a/b/mcp`,
      `${publicUrl}/mcp?x=1`,
    ]) {
      const step = await newBrowser().open(authorize(clientId, { resource }));
      expect('left' in step && step.left.searchParams.get('error'), resource).toBe('invalid_target');
    }
  });

  test('a trailing slash, the bare origin and no resource at all mean the MCP endpoint', async () => {
    const { publicUrl } = running;
    for (const resource of [`${publicUrl}/mcp/`, publicUrl, `${publicUrl}/`]) {
      const client = await newBrowser().signInMcpClient({ resource });
      expect(await call(client.accessToken), resource).toBe(200);
      expect((await refresh(client, { resource })).status, resource).toBe(200);
    }
  });

  test('a wrong resource does not cost a client its refresh token or its code', async () => {
    const client = await newBrowser().signInMcpClient();
    for (const resource of [
      'https://other.test/mcp',
      `${running.publicUrl}/s/travel/mcp`,
      `${running.publicUrl}/api`,
    ]) {
      const refused = await refresh(client, { resource });
      expect(await refused.json(), resource).toMatchObject({ error: 'invalid_target' });
    }
    const { rows } = await running.db.query(
      `select 1 from oauth_records where model = 'RefreshToken' and consumed_at is not null`,
    );
    const consumedBefore = rows.length;
    expect((await refresh(client)).status).toBe(200);
    const after = await running.db.query(
      `select 1 from oauth_records where model = 'RefreshToken' and consumed_at is not null`,
    );
    expect(after.rows.length).toBe(consumedBefore + 1);
  });

  test('a client that refreshes in three windows at once keeps its sign-in', async () => {
    const client = await newBrowser().signInMcpClient();
    const answers = await Promise.all([1, 2, 3].map(() => refresh(client)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  });

  test('a retry within ten seconds gets the same successor, and no second line', async () => {
    const client = await newBrowser().signInMcpClient();
    const renew = async (refreshToken: string) => {
      const answer = await refresh({ clientId: client.clientId, refreshToken });
      return readTokens(await answer.json());
    };
    const second = await renew(client.refreshToken);
    const again = await renew(client.refreshToken);
    expect(again.refreshToken).toBe(second.refreshToken);
    expect(await call(again.accessToken)).toBe(200);
    // The line went on meanwhile: the retry gets where it is by now, not a token that is about to count as stolen.
    const third = await renew(second.refreshToken);
    expect((await renew(client.refreshToken)).refreshToken).toBe(third.refreshToken);
    expect(await unusedRefreshTokens(client.accessToken)).toBe(1);
  });

  test('a retry with the token of another client gets nothing', async () => {
    const client = await newBrowser().signInMcpClient();
    const other = await newBrowser().signInMcpClient({ clientName: 'Somebody else' });
    await refresh(client);
    const answer = await refresh({ clientId: other.clientId, refreshToken: client.refreshToken });
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('after its ten seconds a used refresh token revokes its family', async () => {
    const client = await newBrowser().signInMcpClient();
    const next: { access_token: string } = JSON.parse(await (await refresh(client)).text());
    await running.db.query(
      `update oauth_records set consumed_at = consumed_at - interval '11 seconds' where consumed_at is not null`,
    );
    expect((await refresh(client)).status).toBe(400);
    expect(await call(next.access_token)).toBe(401);
  });

  test('a refresh token lives thirty days from its last use and ninety from the sign-in', async () => {
    const client = await newBrowser().signInMcpClient();
    const days = async () => {
      const { rows } = await running.db.query<{ days: number }>(
        `select extract(epoch from max(expires_at) - now())::float8 / 86400 as days from oauth_records
         where model = 'RefreshToken' and payload->>'clientId' = $1 and consumed_at is null`,
        [client.clientId],
      );
      return rows[0]?.days ?? 0;
    };
    await running.db.query(
      `delete from oauth_records where model = 'RefreshToken' and payload->>'clientId' = $1 and id <> $2`,
      [client.clientId, sha256(client.refreshToken)],
    );
    expect(await days()).toBeCloseTo(30, 1);
    await running.db.query(
      `update oauth_records set payload = payload || jsonb_build_object('iiat', (extract(epoch from now()) - 80 * 86400)::int)
       where model = 'RefreshToken' and id = $1`,
      [sha256(client.refreshToken)],
    );
    expect((await refresh(client)).status).toBe(200);
    expect(await days()).toBeCloseTo(10, 1);
  });

  test('revoking one authorization refuses its access token at once, tells the listeners, and leaves the other alone', async () => {
    const browser = newBrowser();
    const one = await browser.signInMcpClient();
    const other = await browser.signInMcpClient();
    const heard: (string | undefined)[] = [];
    const revoked = new Promise<void>((resolve) => {
      running.identity.onRevoked(({ tokenId }) => {
        heard.push(tokenId);
        resolve();
      });
    });
    const answer = await fetch(`${running.publicUrl}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: one.refreshToken, client_id: one.clientId }),
    });
    expect(answer.status).toBe(200);
    expect(await call(one.accessToken)).toBe(401);
    expect(await call(other.accessToken)).toBe(200);
    await revoked;
    expect(heard).toEqual([claimsOf(one.accessToken)['gid']]);
  });

  test('a client cannot revoke the token of another', async () => {
    const one = await newBrowser().signInMcpClient();
    const other = await newBrowser().signInMcpClient({ clientName: 'Another client' });
    await fetch(`${running.publicUrl}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: one.refreshToken, client_id: other.clientId }),
    });
    expect(await call(one.accessToken)).toBe(200);
  });

  test('a client revokes by its access token too, and only its own', async () => {
    const one = await newBrowser().signInMcpClient();
    const other = await newBrowser().signInMcpClient({ clientName: 'A third client' });
    const revoke = (token: string, clientId: string) =>
      fetch(`${running.publicUrl}/oauth/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ token, client_id: clientId, token_type_hint: 'access_token' }),
      });
    expect((await revoke(one.accessToken, other.clientId)).status).toBe(200);
    expect((await revoke(one.accessToken, 'nobody')).status).toBe(401);
    expect(await call(one.accessToken)).toBe(200);
    expect((await revoke(one.accessToken, one.clientId)).status).toBe(200);
    expect(await call(one.accessToken)).toBe(401);
    expect((await refresh(one)).status).toBe(400);
    expect(await call(other.accessToken)).toBe(200);
    expect((await revoke('something-unknown', one.clientId)).status).toBe(200);
  });

  test('a code without a verifier, or with the challenge in its place, is refused', async () => {
    const { client_id: clientId } = await readRegistration(
      await register({ redirect_uris: ['http://127.0.0.1/callback'] }),
    );
    for (const proof of [{}, { code_verifier: challengeOf('v'.repeat(43)) }]) {
      const left = await newBrowser().signIn(authorize(clientId, { code_challenge: challengeOf('v'.repeat(43)) }));
      const answer = await postToken({
        grant_type: 'authorization_code',
        client_id: clientId,
        code: left.searchParams.get('code') ?? '',
        redirect_uri: 'http://127.0.0.1:53999/callback',
        ...proof,
      });
      expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
    }
  });

  test('a code that is used twice: the second is refused, and the tokens of the first are revoked', async () => {
    const { client_id: clientId } = await readRegistration(
      await register({ redirect_uris: ['http://127.0.0.1/callback'] }),
    );
    const verifier = 'v'.repeat(43);
    const left = await newBrowser().signIn(authorize(clientId, { code_challenge: challengeOf(verifier) }));
    const redeem = () =>
      postToken({
        grant_type: 'authorization_code',
        client_id: clientId,
        code: left.searchParams.get('code') ?? '',
        redirect_uri: 'http://127.0.0.1:53999/callback',
        code_verifier: verifier,
      });
    const tokens = readTokens(await (await redeem()).json());
    expect(await call(tokens.accessToken)).toBe(200);
    expect(await (await redeem()).json()).toMatchObject({ error: 'invalid_grant' });
    expect(await call(tokens.accessToken)).toBe(401);
    expect((await refresh({ clientId, refreshToken: tokens.refreshToken })).status).toBe(400);
  });

  test('[SES-14] an access token is an at+jwt of ten minutes for one audience', async () => {
    const client = await newBrowser().signInMcpClient({ scope: 'mcp:tools openid email offline_access' });
    const header: unknown = JSON.parse(Buffer.from(client.accessToken.split('.')[0] ?? '', 'base64url').toString());
    expect(header).toMatchObject({ typ: 'at+jwt', alg: 'ES256' });
    const claims = claimsOf(client.accessToken);
    expect(claims).toMatchObject({ aud: `${running.publicUrl}/mcp`, iss: running.publicUrl, scope: 'mcp:tools' });
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(600);
  });
});

function claimsOf(token: string): Record<string, unknown> {
  const claims: Record<string, unknown> = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return claims;
}

async function readRegistration(answer: Response): Promise<{ client_id: string }> {
  const body: { client_id: string } = JSON.parse(await answer.text());
  return body;
}
