import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { ScriptedBrowser, challengeOf, readTokens } from '#testing/people/scripted-browser.ts';
import { ScriptedClientProvider } from '#testing/people/scripted-client-provider.ts';
import { migrations } from '../../migrations.ts';
import { useTokens } from './testing/use-tokens.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

describeOnEmbedded('MCP clients sign in', migrations, (open) => {
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
  const { call, postToken, refresh } = useTokens(() => running.publicUrl);
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

  test('the official client signs in automatically: discovery, registration, sign-in, one consent, token', async () => {
    const browser = newBrowser();
    const provider = new ScriptedClientProvider(browser, 'http://localhost:53998/callback');
    const connect = () =>
      new Client({ name: 'test', version: '1' }).connect(
        new StreamableHTTPClientTransport(new URL(`${running.publicUrl}/mcp`), { authProvider: provider }),
      );
    // The probe endpoint authenticates and does not speak MCP: passing 401 is what counts here.
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

  test('consent is requested before Google, and again each time', async () => {
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

  test('consent cannot be skipped by resuming the request without it', async () => {
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

  test('Cancel sends access_denied with state and iss to the client', async () => {
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

  test("a wrong resource does not use up a client's refresh token or its code", async () => {
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

  test('a second use of a code is refused, and the tokens of the first are revoked', async () => {
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
    const claims = decodeJwt(client.accessToken);
    expect(claims).toMatchObject({ aud: `${running.publicUrl}/mcp`, iss: running.publicUrl, scope: 'mcp:tools' });
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(600);
  });
});

async function readRegistration(answer: Response): Promise<{ client_id: string }> {
  const body: { client_id: string } = JSON.parse(await answer.text());
  return body;
}
