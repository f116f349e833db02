import { beforeAll, afterAll, expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases.ts';
import { ScriptedBrowser, challengeOf, readTokens } from '#testing/scripted-browser.ts';
import { identityMigrations } from './migrations.ts';
import { sha256 } from './hash.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

const refreshForm = { grant_type: 'refresh_token', client_id: 'frontend' };

describeOnDatabases('the web app signs in', identityMigrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());
  const newBrowser = () => new ScriptedBrowser(running.publicUrl);
  const profile = (token: string) =>
    fetch(`${running.publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${token}` } });

  test('[SIGN-16] [SIGN-17] with a code, a verifier of 128 characters and S256, and gets the profile', async () => {
    const browser = newBrowser();
    const { code, verifier, callback } = await browser.authorizeWeb({ email: 'Carl@souk.test' });
    expect(verifier).toHaveLength(128);
    expect(callback.searchParams.get('iss')).toBe(running.publicUrl);
    const answer = await browser.redeemWeb(code, verifier);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const body: Record<string, unknown> = JSON.parse(await answer.text());
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 600, expiresIn: 600 });
    expect(body['accessToken']).toBe(body['access_token']);
    expect(body['refreshToken']).toBe(body['refresh_token']);
    const tokens = readTokens(body);
    const answered = await profile(tokens.accessToken);
    expect(await answered.json()).toMatchObject({
      email: 'carl@souk.test',
      displayName: 'Carl Coder',
      photoURL: null,
      provider: 'dev',
      planId: 'free',
      planStatus: 'active',
      disabledServers: [],
      role: 'user',
    });
  });

  test('[CFG-41] a user carries the provider of their identity', async () => {
    await newBrowser().signInWeb({ email: 'provider@souk.test' });
    const { rows } = await running.db.query(
      `select i.provider, i.subject from identities i join users u on u.id = i.user_id where u.email = $1`,
      ['provider@souk.test'],
    );
    expect(rows).toEqual([{ provider: 'dev', subject: 'provider@souk.test' }]);
  });

  test('the second sign-in of a browser shows no page', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const shown = browser.trail.length;
    await browser.signInWeb();
    expect(browser.trail.slice(shown).filter((step) => /interaction|choose/.test(step))).toEqual([]);
  });

  test('the same person signing in twice at once for the first time becomes one user', async () => {
    const email = 'twice@souk.test';
    await Promise.all([1, 2, 3, 4].map(() => newBrowser().signInWeb({ email })));
    const { rows } = await running.db.query(`select id from users where email = $1`, [email]);
    expect(rows).toHaveLength(1);
  });

  test('a sign-in without a challenge, and a plain one, are refused', async () => {
    const { publicUrl } = running;
    const redirect = `${publicUrl}/auth/callback`;
    for (const challenge of [{}, { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' }]) {
      const url = newBrowser().authorizeUrl({ client_id: 'frontend', redirect_uri: redirect, ...challenge });
      if (!('code_challenge' in challenge)) url.searchParams.delete('code_challenge_method');
      const step = await newBrowser().open(url);
      expect('left' in step && step.left.searchParams.get('error')).toBe('invalid_request');
      expect('left' in step && step.left.searchParams.get('state')).toBe('state-of-the-client');
      expect('left' in step && step.left.searchParams.get('iss')).toBe(publicUrl);
    }
  });

  test('a wrong verifier is refused', async () => {
    const browser = newBrowser();
    const { code } = await browser.authorizeWeb();
    const answer = await browser.redeemWeb(code, 'x'.repeat(128));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('a code is good once; used again, the tokens of its first use are revoked', async () => {
    const browser = newBrowser();
    const { code, verifier } = await browser.authorizeWeb();
    const first = readTokens(await (await browser.redeemWeb(code, verifier)).json());
    expect((await profile(first.accessToken)).status).toBe(200);
    const second = await newBrowser().redeemWeb(code, verifier);
    expect(await second.json()).toMatchObject({ error: 'invalid_grant' });
    expect((await profile(first.accessToken)).status).toBe(401);
    expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(400);
  });

  test('of six uses of one code at once, at most one gets tokens', async () => {
    const browser = newBrowser();
    const { code, verifier } = await browser.authorizeWeb();
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => newBrowser().redeemWeb(code, verifier)));
    expect(answers.filter((answer) => answer.status === 200).length).toBe(1);
  });

  test('a code is not good for another redirect address', async () => {
    const browser = newBrowser();
    const { code, verifier } = await browser.authorizeWeb();
    const answer = await browser.postForm('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: 'frontend',
      code,
      redirect_uri: `${running.publicUrl}/auth/success`,
      code_verifier: verifier,
    });
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('a redirect address that is not registered gets an error page, never a redirect', async () => {
    for (const redirect of ['https://evil.test/auth/callback', `${running.publicUrl}/auth/callback/x`]) {
      const url = newBrowser().authorizeUrl({
        client_id: 'frontend',
        redirect_uri: redirect,
        code_challenge: challengeOf('v'),
      });
      const step = await newBrowser().open(url);
      expect('page' in step && step.page.status).toBe(400);
      expect('page' in step && step.page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
  });

  test('return_to elsewhere is refused in every spelling', async () => {
    const { publicUrl } = running;
    const spellings = [
      'https://evil.test/auth/success',
      '//evil.test/auth/success',
      '/\\evil.test/auth/success',
      '/auth/success/../../evil',
      '/auth/success\n',
      `${publicUrl}.evil.test/auth/success`,
      `${publicUrl}@evil.test/auth/success`,
      'javascript:alert(1)',
      '/dashboard',
    ];
    for (const spelling of spellings) {
      const query = new URLSearchParams({ return_to: spelling, state: 'a', code_challenge: challengeOf('v') });
      expect((await newBrowser().request(`/login?${query}`)).status, spelling).toBe(400);
      expect((await newBrowser().request(`/auth/google?${query}`)).status, spelling).toBe(400);
    }
  });

  test('the refresh uses the cookie, rotates it, and answers a handle that is worth nothing alone', async () => {
    const browser = newBrowser();
    const first = await browser.signInWeb();
    const firstCookie = browser.cookie('souk_refresh');
    const second = readTokens(await (await browser.postForm('/oauth/token', refreshForm)).json());
    expect(browser.cookie('souk_refresh')).not.toBe(firstCookie);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    const withHandle = { ...refreshForm, refresh_token: second.refreshToken };
    expect((await newBrowser().postForm('/oauth/token', withHandle)).status).toBe(400);
    expect((await browser.postForm('/oauth/token', withHandle)).status).toBe(200);
  });

  test('the refresh cookie is HttpOnly, SameSite=Strict and sent to the OAuth endpoints alone', async () => {
    const browser = newBrowser();
    const { code, verifier } = await browser.authorizeWeb();
    const cookies = (await browser.redeemWeb(code, verifier)).headers.getSetCookie();
    const line = cookies.find((cookie) => cookie.startsWith('souk_refresh=')) ?? '';
    expect(line).toMatch(/HttpOnly/);
    expect(line).toMatch(/SameSite=Strict/);
    expect(line).toMatch(/Path=\/oauth/);
  });

  test('a refresh without our Origin, or from another one, is refused and costs nothing', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const foreign = await browser.postForm('/oauth/token', refreshForm, { origin: 'https://evil.test' });
    expect(foreign.status).toBe(403);
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    const without = await browser.request('/oauth/token', { method: 'POST', body: new URLSearchParams(refreshForm) });
    expect(without.status).toBe(403);
    expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(200);
  });

  test('a code from a form of another site does not sign this browser in', async () => {
    const { code, verifier } = await newBrowser().authorizeWeb({ email: 'attacker@souk.test' });
    const victim = newBrowser();
    const answer = await victim.postForm(
      '/oauth/token',
      {
        grant_type: 'authorization_code',
        client_id: 'frontend',
        code,
        redirect_uri: `${running.publicUrl}/auth/callback`,
        code_verifier: verifier,
      },
      { origin: 'https://evil.test' },
    );
    expect(answer.status).toBe(403);
    expect(victim.cookie('souk_refresh')).toBeUndefined();
  });

  test('the handle of another sign-in is refused, so that a tab notices', async () => {
    const browser = newBrowser();
    const other = await newBrowser().signInWeb({ email: 'other@souk.test' });
    await browser.signInWeb();
    const answer = await browser.postForm('/oauth/token', { ...refreshForm, refresh_token: other.refreshToken });
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
    expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(200);
  });

  test('a used refresh token revokes its whole family', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const old = browser.cookie('souk_refresh') ?? '';
    const second = readTokens(await (await browser.postForm('/oauth/token', refreshForm)).json());
    const thief = newBrowser();
    thief.setCookie('souk_refresh', old);
    expect((await thief.postForm('/oauth/token', refreshForm)).status).toBe(400);
    expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(400);
    expect((await profile(second.accessToken)).status).toBe(401);
  });

  test('[SES-15] a renewal whose answer was lost is asked again by its name, and comes to the one successor', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const old = browser.cookie('souk_refresh') ?? '';
    const first = { ...refreshForm, renewal: 'a'.repeat(22) };
    expect((await browser.postForm('/oauth/token', first)).status).toBe(200);
    const successor = browser.cookie('souk_refresh');
    browser.setCookie('souk_refresh', old, '/oauth'); // as if that answer had never come
    const again = await browser.postForm('/oauth/token', first);
    expect(again.status).toBe(200);
    expect(browser.cookie('souk_refresh')).toBe(successor);
    const { accessToken } = readTokens(await again.json());
    expect((await profile(accessToken)).status).toBe(200);
    expect((await browser.postForm('/oauth/token', { ...refreshForm, renewal: 'b'.repeat(22) })).status).toBe(200);
  });

  test('a used refresh token without the name of its renewal, with another, or once its successor was used, is reuse', async () => {
    const name = 'a'.repeat(22);
    for (const [form, usesSuccessor] of [
      [refreshForm, false],
      [{ ...refreshForm, renewal: 'b'.repeat(22) }, false],
      [{ ...refreshForm, renewal: 'short' }, false],
      [{ ...refreshForm, renewal: name }, true],
    ] as const) {
      const browser = newBrowser();
      await browser.signInWeb();
      const thief = newBrowser();
      thief.setCookie('souk_refresh', browser.cookie('souk_refresh') ?? '', '/oauth');
      await browser.postForm('/oauth/token', { ...refreshForm, renewal: name });
      if (usesSuccessor) await browser.postForm('/oauth/token', { ...refreshForm, renewal: 'c'.repeat(22) });
      expect((await thief.postForm('/oauth/token', form)).status, JSON.stringify(form)).toBe(400);
      expect((await browser.postForm('/oauth/token', refreshForm)).status, 'the whole sign-in is over').toBe(400);
    }
  });

  test('a renewal is over ten minutes after it was begun', async () => {
    const browser = newBrowser();
    const { accessToken } = await browser.signInWeb();
    const old = browser.cookie('souk_refresh') ?? '';
    const form = { ...refreshForm, renewal: 'a'.repeat(22) };
    await browser.postForm('/oauth/token', form);
    await running.db.query(
      `update oauth_records set consumed_at = consumed_at - interval '10 minutes' where model = 'RefreshToken' and id = $1`,
      [sha256(old)],
    );
    browser.setCookie('souk_refresh', old, '/oauth');
    expect((await browser.postForm('/oauth/token', form)).status).toBe(400);
    expect((await profile(accessToken)).status).toBe(401);
  });

  test('a token that a broker used up before it ended, without a successor, is used again by the same renewal', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const old = browser.cookie('souk_refresh') ?? '';
    const form = { ...refreshForm, renewal: 'a'.repeat(22) };
    await browser.postForm('/oauth/token', form);
    const successor = browser.cookie('souk_refresh') ?? '';
    await running.db.query(`delete from oauth_records where model = 'RefreshToken' and id = $1`, [sha256(successor)]);
    browser.setCookie('souk_refresh', old, '/oauth');
    expect((await browser.postForm('/oauth/token', form)).status).toBe(200);
    expect(browser.cookie('souk_refresh')).toBe(successor);
  });

  test('six retries of one renewal at once all come to the same token, and the sign-in lives on', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const cookie = browser.cookie('souk_refresh') ?? '';
    const tabs = [1, 2, 3, 4, 5, 6].map(() => {
      const tab = newBrowser();
      tab.setCookie('souk_refresh', cookie, '/oauth');
      return tab;
    });
    const form = { ...refreshForm, renewal: 'a'.repeat(22) };
    const answers = await Promise.all(tabs.map((tab) => tab.postForm('/oauth/token', form)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set(tabs.map((tab) => tab.cookie('souk_refresh'))).size).toBe(1);
    expect((await tabs[0]?.postForm('/oauth/token', refreshForm))?.status).toBe(200);
  });

  test('of six refreshes with one cookie at once, exactly one wins', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const cookie = browser.cookie('souk_refresh') ?? '';
    const tabs = [1, 2, 3, 4, 5, 6].map(() => {
      const tab = newBrowser();
      tab.setCookie('souk_refresh', cookie);
      return tab;
    });
    const answers = await Promise.all(tabs.map((tab) => tab.postForm('/oauth/token', refreshForm)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  });

  test('the web client revokes with its cookie, and its access token is refused at once', async () => {
    const browser = newBrowser();
    const tokens = await browser.signInWeb();
    expect(
      (await browser.postForm('/oauth/revoke', { client_id: 'frontend', token: tokens.refreshToken })).status,
    ).toBe(200);
    expect(browser.cookie('souk_refresh')).toBeUndefined();
    expect((await profile(tokens.accessToken)).status).toBe(401);
  });

  test('POST /oauth/logout ends the session of this browser, its authorization and every cookie, old ones too', async () => {
    const browser = newBrowser();
    const other = newBrowser();
    const [tokens, kept] = [await browser.signInWeb(), await other.signInWeb()];
    browser.setCookie('user_data', 'old');
    browser.setCookie('auth_token', 'old');
    const session = browser.cookie('souk_session') ?? '';
    const refresh = browser.cookie('souk_refresh') ?? '';
    expect((await browser.postForm('/oauth/logout', {})).status).toBe(204);
    for (const name of [
      'souk_refresh',
      'souk_signed_in',
      'souk_session',
      'souk_session.sig',
      'user_data',
      'auth_token',
    ]) {
      expect(browser.cookie(name), name).toBeUndefined();
    }
    expect((await profile(tokens.accessToken)).status).toBe(401);
    // Whoever kept the cookies has nothing: the rows are gone.
    browser.setCookie('souk_refresh', refresh, '/oauth');
    expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(400);
    const rows = await running.db.query(`select 1 from oauth_records where model = 'Session' and id = $1`, [
      sha256(session),
    ]);
    expect(rows.rows).toEqual([]);
    expect((await profile(kept.accessToken)).status).toBe(200);
    expect((await other.postForm('/oauth/token', refreshForm)).status).toBe(200);
  });

  test('a sign-out of another site is refused, and one without a sign-in has nothing to say', async () => {
    const browser = newBrowser();
    const tokens = await browser.signInWeb();
    const foreign = await browser.postForm('/oauth/logout', {}, { origin: 'https://evil.test' });
    expect(foreign.status).toBe(403);
    expect((await browser.request('/oauth/logout', { method: 'POST' })).status).toBe(403);
    expect((await profile(tokens.accessToken)).status).toBe(200);
    expect((await newBrowser().postForm('/oauth/logout', {})).status).toBe(204);
  });

  test('a deactivated user is refused at once, and cannot refresh or sign in', async () => {
    const browser = newBrowser();
    const tokens = await browser.signInWeb({ email: 'gone@souk.test' });
    await running.db.query(`update users set is_active = false where email = 'gone@souk.test'`);
    expect((await profile(tokens.accessToken)).status).toBe(401);
    expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(400);
    await expect(browser.signInWeb({ email: 'gone@souk.test' })).rejects.toThrow('has been deactivated');
  });
});
