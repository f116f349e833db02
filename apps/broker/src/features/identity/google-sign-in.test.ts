import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { ScriptedBrowser, type McpClientTokens } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startFakeGoogle, type FakeGoogle, type FakeGoogleFault } from './testing/fake-google.ts';
import { pendingCookieName } from './sign-in/pending-cookie.ts';
import { ProviderBrowser } from './testing/provider-browser.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

const google = { GOOGLE_CLIENT_ID: 'souk-client', GOOGLE_CLIENT_SECRET: 'canary-google-secret' };

describeOnEmbedded('Google sign-in', migrations, (open) => {
  let fake: FakeGoogle;
  let db: Database;
  let running: RunningIdentity;
  let standInToken: string;
  let standInPersonal: string;
  let standInBrowser: ScriptedBrowser;
  let standInClient: McpClientTokens;
  beforeAll(async () => {
    fake = await startFakeGoogle('souk-client');
    db = await open();
    // The installation ran with the stand-in first: the same address, the same database.
    const before = await startIdentity({ db });
    standInBrowser = new ScriptedBrowser(before.publicUrl);
    standInToken = (await standInBrowser.signInWeb({ email: 'real@person.test' })).accessToken;
    standInClient = await standInBrowser.signInMcpClient({ email: 'real@person.test' });
    standInPersonal = (await before.identity.createPersonalToken({ email: 'real@person.test', name: 'dev' })).token;
    await before.close();
    running = await startIdentity({
      db,
      environment: { ...google, ADMIN_EMAILS: 'REAL@person.test' },
      googleIssuer: fake.issuer,
      publicUrl: before.publicUrl,
      listenPort: Number(new URL(before.publicUrl).port),
    });
    // The first sign-in reads Google's metadata, so the faults are in the responses after it.
    await new ProviderBrowser(running.publicUrl, fake.issuer).signInWeb();
  });
  afterAll(async () => {
    await running.close();
    await fake.close();
  });
  const profile = (token: string) =>
    fetch(`${running.publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${token}` } });
  /** Returns the page shown at the end of a sign-in that should fail. */
  async function attempt(fault: FakeGoogleFault) {
    fake.fault = fault;
    try {
      const browser = new ProviderBrowser(running.publicUrl, fake.issuer);
      await browser.signInWeb();
      return 'signed in';
    } catch (error) {
      return error instanceof Error ? error.message : 'failed';
    } finally {
      fake.fault = 'none';
    }
  }

  test('[CFG-6] with its client id and secret set, Google signs users in, and the stand-in is off', async () => {
    const browser = new ProviderBrowser(running.publicUrl, fake.issuer);
    const tokens = await browser.signInWeb();
    expect(await (await profile(tokens.accessToken)).json()).toMatchObject({
      email: 'real@person.test',
      displayName: 'Real Person',
      provider: 'google',
      role: 'admin',
    });
    expect((await fetch(`${running.publicUrl}/dev-google/.well-known/openid-configuration`)).status).toBe(404);
  });

  test('prompt=login asks a signed-in user again, and lets them choose the account at Google', async () => {
    const browser = new ProviderBrowser(running.publicUrl, fake.issuer);
    await browser.signInWeb();
    const callback = `${running.publicUrl}/auth/callback`;
    const query = { return_to: callback, state: 's'.repeat(32), code_challenge: 'c'.repeat(43) };
    const login = (more: object) => `/login?${new URLSearchParams({ ...query, ...more }).toString()}`;
    expect(await browser.open(login({})), 'otherwise no page is shown').toHaveProperty('left');
    const step = await browser.open(login({ prompt: 'login' }));
    if (!('page' in step)) throw new Error(`asked nothing, and went to ${step.left.href}`);
    const leaving = await browser.request(step.page.url, {
      method: 'POST',
      headers: { origin: running.publicUrl },
      body: new URLSearchParams({ provider: 'google' }),
    });
    const toGoogle = new URL(leaving.headers.get('location') ?? '');
    expect(toGoogle.origin).toBe(fake.issuer);
    expect(toGoogle.searchParams.get('prompt')).toBe('select_account');
  });

  test('[CFG-42] users, tokens, grants, sessions and refresh tokens of the stand-in are refused, and its user is not the Google user of the same address', async () => {
    expect((await profile(standInToken)).status).toBe(401);
    expect((await profile(standInPersonal)).status).toBe(401);
    for (const token of [standInClient.accessToken, standInPersonal]) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${running.publicUrl}/mcp`, { method: 'POST', headers })).status).toBe(401);
    }
    const web = await standInBrowser.postForm('/oauth/token', { grant_type: 'refresh_token', client_id: 'frontend' });
    expect(web.status).toBe(400);
    const { clientId, refreshToken } = standInClient;
    const refresh = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
    expect((await standInBrowser.postForm('/oauth/token', refresh)).status).toBe(400);
    // Its session at the authorization server has no user: the choice of provider is shown, and no code issued.
    const login = await standInBrowser.open(
      `/login?${new URLSearchParams({ return_to: '/auth/callback', state: 'a', code_challenge: 'a'.repeat(43) }).toString()}`,
    );
    expect('page' in login && login.page.text).toContain('name="provider" value="google"');
    const browser = new ProviderBrowser(running.publicUrl, fake.issuer);
    await browser.signInWeb();
    const { rows } = await db.query(
      `select i.provider, count(distinct u.id)::int as users from users u join identities i on i.user_id = u.id
       where u.email = 'real@person.test' group by i.provider order by i.provider`,
    );
    expect(rows).toEqual([
      { provider: 'dev', users: 1 },
      { provider: 'google', users: 1 },
    ]);
  });

  test('[CFG-25] the operator must name the provider and a user who has signed in', async () => {
    await new ProviderBrowser(running.publicUrl, fake.issuer).signInWeb();
    const create = running.identity.createPersonalToken;
    await expect(create({ email: 'real@person.test', name: 'a' })).rejects.toThrow('provider');
    await expect(create({ email: 'real@person.test', provider: 'dev', name: 'a' })).rejects.toThrow('provider');
    await expect(create({ email: 'nobody@person.test', provider: 'google', name: 'a' })).rejects.toThrow(
      'sign in once',
    );
    const made = await create({ email: 'real@person.test', provider: 'google', name: 'a' });
    expect((await profile(made.token)).status).toBe(200);
  });

  for (const fault of [
    'nonce',
    'audience',
    'other-client',
    'issuer',
    'signature',
    'unsigned',
    'hmac',
    'expired',
    'no-email',
    'wrong-state',
    'no-state',
    'html-200',
  ] as const) {
    test(`a response of Google with a wrong ${fault} is refused, with a way to start again`, async () => {
      const page = await attempt(fault);
      expect(page).toContain('The answer of the sign-in provider is not valid');
      expect(page).toContain('href="/sign-in"');
      expect(page).not.toMatch(/Bad Gateway of google|at .*:\d+:\d+|OperationProcessingError/);
    });
  }

  test('[ADM-6] an address that Google has not verified is refused, also one in ADMIN_EMAILS', async () => {
    expect(await attempt('unverified')).toContain('no verified e-mail address');
  });

  test('an identity token that has expired by our clock is refused, and the page says that the clocks differ', async () => {
    const page = await attempt('clock');
    expect(page).toMatch(/The clocks of this server and of Google are (599|600|601) seconds apart/);
    expect(running.logged()).toMatch(/"skewSeconds":(599|600|601)/);
    expect(await attempt('nonce')).not.toContain('clocks');
  });

  test('a user who cancels at Google returns home, and an application receives access_denied', async () => {
    fake.fault = 'denied';
    const browser = new ProviderBrowser(running.publicUrl, fake.issuer);
    const home = await browser.open('/auth/google?return_to=/auth/success');
    expect('page' in home && home.page.url.pathname).toBe('/');
    const web = await new ProviderBrowser(running.publicUrl, fake.issuer).authorizeWeb();
    expect(web.callback.searchParams.get('error')).toBe('access_denied');
    fake.fault = 'none';
  });

  test('a callback whose cookie has expired, or belongs to another browser, is refused', async () => {
    const browser = new ProviderBrowser(running.publicUrl, fake.issuer);
    const started = await browser.request('/auth/google?return_to=/auth/success');
    const back = (await fetch(started.headers.get('location') ?? '', { redirect: 'manual' })).headers.get('location');
    const other = new ProviderBrowser(running.publicUrl, fake.issuer);
    const refused = await other.open(back ?? '');
    expect('page' in refused && refused.page.status).toBe(400);
    expect('page' in refused && refused.page.text).toContain('has expired or was started in another browser');
    // The cookie itself says how long it is valid: ten minutes, which cannot be extended.
    const cookieName = pendingCookieName(new URL(back ?? '').searchParams.get('state') ?? '');
    const pending = browser.cookie(cookieName) ?? '';
    const claims: { iat: number; exp: number } = JSON.parse(
      Buffer.from(pending.split('.')[1] ?? '', 'base64url').toString(),
    );
    expect(claims.exp - claims.iat).toBe(600);
    const stretched = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1 })).toString('base64url');
    const [header, , signature] = pending.split('.');
    browser.setCookie(cookieName, `${header}.${stretched}.${signature}`, '/auth/google/callback');
    const forged = await browser.open(back ?? '');
    expect('page' in forged && forged.page.status).toBe(400);
  });

  test('two sign-ins that start in one browser both succeed, whichever returns first', async () => {
    for (const order of ['first', 'last'] as const) {
      const browser = new ProviderBrowser(running.publicUrl, fake.issuer);
      const redirectUri = 'http://127.0.0.1:53999/callback';
      const registered = await fetch(`${running.publicUrl}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: 'Two tabs', redirect_uris: [redirectUri] }),
      });
      const { client_id: clientId }: { client_id: string } = JSON.parse(await registered.text());
      const consent = await browser.open(
        browser.authorizeUrl({ client_id: clientId, redirect_uri: redirectUri, code_challenge: 'c'.repeat(43) }),
      );
      if (!('page' in consent)) throw new Error(`asked nothing, and went to ${consent.left.href}`);
      const ofClient = await browser.leave(consent.page.url, {
        method: 'POST',
        headers: { origin: running.publicUrl },
        body: new URLSearchParams({ allow: '1' }),
      });
      const ofWeb = await browser.leave('/auth/google?return_to=/auth/success');
      const pairs = [
        [ofClient, redirectUri],
        [ofWeb, `${running.publicUrl}/auth/success`],
      ] as const;
      for (const [back, end] of order === 'first' ? pairs : pairs.toReversed()) {
        const step = await browser.open(back);
        if (!('left' in step)) throw new Error(`${order}: ${step.page.text}`);
        expect(step.left.origin + step.left.pathname).toBe(end);
        expect(step.left.searchParams.has('code') || step.left.searchParams.has('token')).toBe(true);
        const again = await browser.open(back);
        expect('page' in again && again.page.status, 'each counts once').toBe(400);
      }
    }
  });

  test('the response of one sign-in is refused with the cookie of another', async () => {
    const browser = new ProviderBrowser(running.publicUrl, fake.issuer);
    const [one, two] = [await browser.leave('/auth/google'), await browser.leave('/auth/google')];
    const stateOf = (back: string) => new URL(back).searchParams.get('state') ?? '';
    const other = browser.cookie(pendingCookieName(stateOf(two))) ?? '';
    browser.setCookie(pendingCookieName(stateOf(one)), other, '/auth/google/callback');
    const step = await browser.open(one);
    expect('page' in step && step.page.status).toBe(400);
    expect(await browser.open(two)).toHaveProperty('left');
  });

  test('at most eight sign-ins wait in one browser: the oldest is dropped, and the cookies are for the callback only', async () => {
    const browser = new ProviderBrowser(running.publicUrl, fake.issuer);
    const backs: string[] = [];
    for (let count = 0; count < 10; count++) backs.push(await browser.leave('/auth/google'));
    const kept = backs.map((back) => browser.cookie(pendingCookieName(new URL(back).searchParams.get('state') ?? '')));
    expect(kept.map((value) => value !== undefined)).toEqual([false, false, ...Array<boolean>(8).fill(true)]);
    const refused = await browser.open(backs[0] ?? '');
    expect('page' in refused && refused.page.status).toBe(400);
    expect(await browser.open(backs[2] ?? '')).toHaveProperty('left');
    const line = (await fetch(`${running.publicUrl}/auth/google`, { redirect: 'manual' })).headers.getSetCookie()[0];
    expect(line).toMatch(
      /^souk_upstream_[\w-]{16}=[\w.-]+; Max-Age=600; Path=\/auth\/google\/callback; HttpOnly; SameSite=Lax$/,
    );
  });

  test('an HTML page instead of a response is reported as Google being unreachable', async () => {
    expect(await attempt('html')).toContain('Google cannot be reached right now. Please try again in a moment.');
    fake.fault = 'html';
    const fresh = await startIdentity({ db, environment: google, googleIssuer: fake.issuer });
    const answer = await fetch(`${fresh.publicUrl}/auth/google`, {
      headers: { accept: 'text/html' },
      redirect: 'manual',
    });
    fake.fault = 'none';
    expect(answer.status).toBe(503);
    const page = await answer.text();
    expect(page).toContain('Google cannot be reached right now.');
    expect(page).not.toContain('Bad Gateway');
    // A failed request is retried: no restart is needed.
    const after = await fetch(`${fresh.publicUrl}/auth/google`, { redirect: 'manual' });
    expect(after.status).toBe(303);
    await fresh.close();
  });

  test('an outage of Google is reported, and sign-in works again when it is over', async () => {
    const away = await startIdentity({ db, environment: google, googleIssuer: 'http://127.0.0.1:9' });
    const answer = await fetch(`${away.publicUrl}/auth/google`, { headers: { accept: 'text/html' } });
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('Google cannot be reached right now');
    await away.close();
  });

  test('nothing of Google’s responses, nor its secret, is in the log', async () => {
    await attempt('nonce');
    expect(running.logged()).toContain('a sign-in was refused');
    expect(running.logged()).not.toContain('canary-google-secret');
    expect(running.logged()).not.toContain('upstream-access-token');
  });
});
