import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases.ts';
import { ScriptedBrowser, challengeOf } from '#testing/scripted-browser.ts';
import { identityMigrations } from './migrations.ts';
import { pendingCookieName } from './sign-in/pending-cookie.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

describeOnDatabases('the pages and ways of sign-in', identityMigrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());
  const newBrowser = () => new ScriptedBrowser(running.publicUrl);

  test('[SIGN-12] [SIGN-14] GET /login without state and challenge goes through the start page of the web', async () => {
    for (const query of ['', '?return_to=/auth/callback', '?return_to=/auth/callback&state=a', '?state=a']) {
      const answer = await newBrowser().request(`/login${query}`);
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe(`${running.publicUrl}/sign-in?return_to=%2Fdashboard`);
    }
  });

  test('[SIGN-13] /login with state and challenge goes on to /oauth/authorize, and back to /auth/callback where no return_to is named', async () => {
    const verifier = 'v'.repeat(128);
    const query = new URLSearchParams({ state: 'mine', code_challenge: challengeOf(verifier) });
    const first = await newBrowser().request(`/login?${query}`);
    const authorize = new URL(first.headers.get('location') ?? '');
    expect(authorize.pathname).toBe('/oauth/authorize');
    expect(authorize.searchParams.get('redirect_uri')).toBe(`${running.publicUrl}/auth/callback`);
    const browser = newBrowser();
    const callback = await browser.signIn(`/login?${query}`);
    expect(callback.pathname).toBe('/auth/callback');
    expect(callback.searchParams.get('state')).toBe('mine');
    expect((await browser.redeemWeb(callback.searchParams.get('code') ?? '', verifier)).status).toBe(200);
  });

  test('[SIGN-43] GitHub, Facebook and Apple sign-in answer that they are not yet implemented, anything else is not found', async () => {
    for (const [provider, name] of [
      ['github', 'GitHub'],
      ['facebook', 'Facebook'],
      ['apple', 'Apple'],
    ]) {
      const answer = await newBrowser().request(`/auth/${provider}?return_to=/auth/success`);
      expect(answer.status).toBe(501);
      expect(await answer.json()).toEqual({
        success: false,
        code: 'not_implemented',
        message: `${name} sign-in is not yet implemented`,
      });
    }
    expect((await newBrowser().request('/auth/nobody')).status).toBe(404);
  });

  test('[SIGN-44] e-mail with password, sign-in and sign-up, answers that it is not yet implemented', async () => {
    for (const way of ['sign-in', 'sign-up']) {
      const answer = await newBrowser().postForm(`/auth/email/${way}`, { email: 'a@b.test', password: 'secret' });
      expect(answer.status).toBe(501);
      expect(await answer.json()).toMatchObject({ message: `E-mail and password ${way} is not yet implemented` });
    }
  });

  test('a browser gets these answers as pages with a way back, without a script', async () => {
    const accept = { headers: { accept: 'text/html,application/xhtml+xml' } };
    for (const [path, status, text] of [
      ['/auth/github', 501, 'GitHub sign-in is not yet implemented'],
      ['/auth/google?return_to=//evil.test', 400, 'return_to must be a callback of this site'],
    ] as const) {
      const answer = await newBrowser().request(path, accept);
      expect(answer.status).toBe(status);
      const page = await answer.text();
      expect(page).toContain(text);
      expect(page).toContain('href="/"');
      expect(page).not.toContain('<script');
    }
  });

  test('GET /auth/google returns to the page that was asked for, signed in at the authorization server', async () => {
    const browser = newBrowser();
    const left = await browser.signIn('/auth/google?return_to=/auth/success&mcp_client=true');
    expect(left.origin + left.pathname).toBe(`${running.publicUrl}/auth/success`);
    const shown = browser.trail.length;
    await browser.signInWeb();
    expect(browser.trail.slice(shown).some((step) => step.includes('choose'))).toBe(false);
  });

  test('userinfo answers who the web app speaks for', async () => {
    const { accessToken } = await newBrowser().signInWeb({ email: 'bea@souk.test' });
    const url = `${running.publicUrl}/oauth/userinfo`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${accessToken}` } });
    expect(await answer.json()).toMatchObject({ email: 'bea@souk.test', email_verified: true, name: 'Bea Buyer' });
    expect((await fetch(url)).status).toBe(401);
  });

  test('the callback without the cookie of its start, or with another state, is refused', async () => {
    const browser = newBrowser();
    const started = await browser.request('/auth/google?return_to=/auth/success');
    expect(started.status).toBe(303);
    expect((await newBrowser().request('/auth/google/callback?code=a&state=b')).status).toBe(400);
    expect((await browser.request('/auth/google/callback?code=a&state=b')).status).toBe(400);
    const state = new URL(started.headers.get('location') ?? '').searchParams.get('state') ?? '';
    expect(browser.cookie(pendingCookieName(state))).toBeDefined();
    expect((await browser.request(`/auth/google/callback?code=a&state=${state}`)).status).toBe(400);
    // once: the cookie is gone
    expect(browser.cookie(pendingCookieName(state))).toBeUndefined();
  });

  test('[SIGN-13] [SIGN-42] /login with state and challenge shows the choice of provider; its pages load no script, cannot be framed and escape what they show', async () => {
    const browser = newBrowser();
    const step = await browser.open(
      `/login?${new URLSearchParams({ return_to: `${running.publicUrl}/auth/callback`, state: 'a', code_challenge: challengeOf('v') })}`,
    );
    const page = 'page' in step ? step.page : undefined;
    for (const name of ['GitHub', 'Facebook', 'Apple', 'E-mail and password']) {
      expect(page?.text).toMatch(new RegExp(`disabled>${name}<span class="quiet">not available yet`));
    }
    if (!page) throw new Error('no page');
    for (const [provider, name] of [
      ['github', 'GitHub'],
      ['email', 'E-mail and password'],
    ] as const) {
      const answer = await browser.postForm(page.url.pathname, { provider }, { accept: 'text/html' });
      expect(answer.status).toBe(501);
      expect(await answer.text()).toContain(`${name} sign-in is not yet implemented`);
    }
    expect(page?.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'");
    expect(page?.headers.get('x-frame-options')).toBe('DENY');
    const styles = await browser.request('/oauth/pages.css');
    expect(styles.headers.get('content-type')).toContain('text/css');
  });

  test('the stand-in says on its page that no real Google account is used, and asks again for a real address', async () => {
    const browser = newBrowser();
    const start = await browser.open('/auth/google?return_to=/auth/success');
    const page = 'page' in start ? start.page : undefined;
    expect(page?.text).toContain('No real Google account is used');
    for (const email of ['admin@souk.test', 'bea@souk.test', 'carl@souk.test']) expect(page?.text).toContain(email);
    if (!page) throw new Error('no page');
    const again = await browser.submit(page, { email: 'not an address' });
    expect('page' in again && again.page.status).toBe(400);
  });
});
