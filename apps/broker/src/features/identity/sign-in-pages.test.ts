import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectOpenId } from '#adapters/openid/openid-sign-in.ts';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { ScriptedBrowser, challengeOf } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { pendingCookieName } from './sign-in/pending-cookie.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

describeOnEmbedded('sign-in pages and sign-in methods', migrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());
  const newBrowser = () => new ScriptedBrowser(running.publicUrl);

  test('[SIGN-12] GET /login accepts return_to: the callback of this site in both spellings, and no other address', async () => {
    const login = (...addresses: string[]) => {
      const query = new URLSearchParams({ state: 'mine', code_challenge: challengeOf('v') });
      for (const address of addresses) query.append('return_to', address);
      return newBrowser().request(`/login?${query}`);
    };
    for (const returnTo of ['/auth/callback', `${running.publicUrl}/auth/callback`]) {
      const answer = await login(returnTo);
      expect(answer.status, returnTo).toBe(303);
      const location = new URL(answer.headers.get('location') ?? '');
      expect(location.searchParams.get('redirect_uri')).toBe(`${running.publicUrl}/auth/callback`);
    }
    for (const returnTo of [
      ['https://evil.test/auth/callback'],
      ['//evil.test/auth/callback'],
      ['/\\evil.test'],
      ['/auth/success'],
      ['/auth/callback?next=/'],
      ['/auth/callback\n'],
      [''],
      ['/auth/callback', '/auth/callback'],
    ]) {
      const answer = await login(...returnTo);
      expect([answer.status, answer.headers.get('location')], String(returnTo)).toEqual([400, null]);
      expect(await answer.json()).toMatchObject({ message: 'return_to must be the callback of this site.' });
    }
  });

  test('[SIGN-14] GET /login without state and challenge goes through the start page of the web', async () => {
    for (const query of ['', '?return_to=/auth/callback', '?return_to=/auth/callback&state=a', '?state=a']) {
      const answer = await newBrowser().request(`/login${query}`);
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe(`${running.publicUrl}/sign-in?return_to=%2Fdashboard`);
    }
  });

  test('[SIGN-13] /login with state and challenge continues to /oauth/authorize, and returns to /auth/callback if return_to is missing', async () => {
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

  test('[SIGN-43] [GEN-45] GitHub, Facebook and Apple sign-in answer that they are not yet implemented, any other provider is not found', async () => {
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
    expect((await newBrowser().request('/auth/unknown')).status).toBe(404);
  });

  test('[SIGN-44] e-mail with password, sign-in and sign-up, answers that it is not yet implemented', async () => {
    for (const way of ['sign-in', 'sign-up']) {
      const answer = await newBrowser().postForm(`/auth/email/${way}`, { email: 'a@b.test', password: 'secret' });
      expect(answer.status).toBe(501);
      expect(await answer.json()).toMatchObject({ message: `E-mail and password ${way} is not yet implemented` });
    }
  });

  test('a browser gets these answers as pages with a way back', async () => {
    const accept = { headers: { accept: 'text/html,application/xhtml+xml' } };
    for (const [path, status, text] of [
      ['/auth/github', 501, 'GitHub sign-in is not yet implemented'],
      ['/auth/unknown', 404, 'This sign-in provider does not exist.'],
      ['/auth/constructor', 404, 'This sign-in provider does not exist.'],
      ['/auth/google?return_to=//evil.test', 400, 'return_to must be a callback of this site'],
      ['/login?return_to=//evil.test', 400, 'return_to must be the callback of this site.'],
    ] as const) {
      const answer = await newBrowser().request(path, accept);
      expect(answer.status).toBe(status);
      const page = await answer.text();
      expect(page).toContain(text);
      expect(page).toContain('href="/"');
    }
  });

  test('an unexpected failure, or another host name, is a page for a browser and the usual error for a program', async () => {
    const broken = await startIdentity({
      db: await open(),
      connectUpstream: (options) => ({ ...connectOpenId(options), start: async () => Object.create(null) }),
    });
    const ask = async (accept: string, headers = {}) => {
      const url = '/auth/google?return_to=/auth/success';
      return broken.app.inject({ url, headers: { host: new URL(broken.publicUrl).host, accept, ...headers } });
    };
    const page = await ask('text/html');
    expect([page.statusCode, page.headers['content-type']]).toEqual([500, 'text/html; charset=utf-8']);
    expect(page.body).toContain('An unexpected error occurred');
    expect(page.body).toContain(`Request ${String(page.headers['x-request-id'])}`);
    expect(page.body).not.toMatch(/TypeError|at \w+ \(/);
    expect((await ask('application/json')).json()).toMatchObject({ code: 'unexpected' });
    const foreign = await ask('text/html', { host: 'evil.test' });
    expect(foreign.headers['content-type']).toContain('text/html');
    expect(foreign.body).toContain('answers at');
    await broken.close();
  });

  test("if a client's registration is unknown, or its request has expired, the page says what to do", async () => {
    const unknown = await newBrowser().open(
      newBrowser().authorizeUrl({
        client_id: 'gone',
        redirect_uri: 'http://127.0.0.1:1/',
        code_challenge: challengeOf('v'),
      }),
    );
    expect('page' in unknown && unknown.page.status).toBe(400);
    expect('page' in unknown && unknown.page.text).toContain(
      'In the app, remove this connection and add it again with the link from your dashboard.',
    );
    expect('page' in unknown && unknown.page.text).toContain('Details for the developer: invalid_client');
    const reconnect = 'go back to it and connect again';
    for (const [path, words] of [
      ['/oauth/interaction/none', 'This request has been answered already, or has expired. Go back to your app.'],
      ['/oauth/authorize/none', reconnect],
      ['/dev-google/choose/none', reconnect],
    ] as const) {
      const expired = await newBrowser().open(path);
      expect('page' in expired && [expired.page.status, path]).toEqual([400, path]);
      expect('page' in expired && expired.page.text).toContain(words);
    }
  });

  test('GET /auth/google returns to the requested page, signed in at the authorization server', async () => {
    const browser = newBrowser();
    const left = await browser.signIn('/auth/google?return_to=/auth/success&mcp_client=true');
    expect(left.origin + left.pathname).toBe(`${running.publicUrl}/auth/success`);
    const shown = browser.trail.length;
    await browser.signInWeb();
    expect(browser.trail.slice(shown).some((step) => step.includes('choose'))).toBe(false);
  });

  test('userinfo returns the user of the web app', async () => {
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
    // once: the cookie has been removed
    expect(browser.cookie(pendingCookieName(state))).toBeUndefined();
  });

  test('[SIGN-13] [SIGN-42] /login with state and challenge shows the choice of provider, and one line with those that do not work yet', async () => {
    const browser = newBrowser();
    const step = await browser.open(
      `/login?${new URLSearchParams({ return_to: `${running.publicUrl}/auth/callback`, state: 'a', code_challenge: challengeOf('v') })}`,
    );
    const page = 'page' in step ? step.page : undefined;
    expect(page?.text.match(/<button/g)).toHaveLength(1);
    expect(page?.text).toContain(
      'gets the name, e-mail address and picture of the account that you choose, and never your password.',
    );
    expect(page?.text).toContain("GitHub, Facebook, Apple, and e-mail with password aren't available yet.");
    if (!page) throw new Error('no page');
    for (const [provider, name] of [
      ['github', 'GitHub'],
      ['email', 'E-mail and password'],
    ] as const) {
      const answer = await browser.postForm(page.url.pathname, { provider }, { accept: 'text/html' });
      expect(answer.status).toBe(501);
      expect(await answer.text()).toContain(`${name} sign-in is not yet implemented`);
    }
  });

  test('the pages of the broker run one script of ours, the theme, and nothing inline; they cannot be framed', async () => {
    const browser = newBrowser();
    const login = new URLSearchParams({ state: 'a', code_challenge: challengeOf('v') });
    const shown = await Promise.all([
      browser.open(`/login?${login}`),
      newBrowser().open('/auth/google?return_to=/auth/success'),
      newBrowser().open('/auth/google/callback?code=a&state=b'),
      newBrowser().open('/oauth/authorize?client_id=unknown'),
    ]);
    for (const step of shown) {
      if (!('page' in step)) throw new Error('no page');
      const { headers, text, url } = step.page;
      expect(headers.get('content-security-policy'), url.href).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'/,
      );
      expect(headers.get('x-frame-options'), url.href).toBe('DENY');
      expect(text.match(/<script[^]*?<\/script>/g), url.href).toEqual(['<script src="/oauth/theme.js"></script>']);
      expect(text, url.href).not.toMatch(/\s(on\w+|style)=/);
    }
    const theme = await browser.request('/oauth/theme.js');
    expect(theme.headers.get('content-type')).toContain('text/javascript');
    expect(await theme.text()).toContain("localStorage.getItem('souk.theme')");
    expect((await browser.request('/oauth/pages.css')).headers.get('content-type')).toContain('text/css');
  });

  test('browsers find the mark at /favicon.ico', async () => {
    const browser = newBrowser();
    const icon = await browser.request('/favicon.ico');
    expect([icon.status, icon.headers.get('location')]).toEqual([302, '/oauth/mark.svg']);
    expect((await browser.request('/oauth/mark.svg')).headers.get('content-type')).toContain('image/svg+xml');
  });

  test('the page of the stand-in says that no real Google account is used, and asks again if the address is invalid', async () => {
    const browser = newBrowser();
    const start = await browser.open('/auth/google?return_to=/auth/success');
    const page = 'page' in start ? start.page : undefined;
    expect(page?.text).toContain('No real Google account is used');
    for (const email of ['admin@souk.test', 'bea@souk.test', 'carl@souk.test']) expect(page?.text).toContain(email);
    if (!page) throw new Error('no page');
    const again = await browser.submit(page, { email: 'not an address' });
    expect('page' in again && again.page.status).toBe(400);
  });

  test('while the database is down a browser gets a page with a way forward at each step of the sign-in, and a program gets the error', async () => {
    const { db } = running;
    let isAway = (_text: string) => false;
    const query: typeof db.query = async (text, values) => {
      if (isAway(text)) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      return db.query(text, values);
    };
    const away = await startIdentity({ db: { ...db, query } });
    const browser = new ScriptedBrowser(away.publicUrl);
    const login = `/login?${new URLSearchParams({ state: 'mine', code_challenge: challengeOf('v') })}`;
    const address = (await browser.request(login)).headers.get('location') ?? '';
    const started = await browser.open(address);
    const choice = 'page' in started ? started.page.url.pathname : '';
    expect(choice).toMatch(/^\/oauth\/interaction\//);
    const html = { headers: { accept: 'text/html' } };
    const inOrder = (path: string) => {
      const url = new URL(path, away.publicUrl);
      url.searchParams.sort();
      return url.href;
    };
    const expectPage = async (path: string) => {
      const answer = await browser.request(path, html);
      expect([answer.status, answer.headers.get('retry-after')], path).toEqual([503, '5']);
      expect(answer.headers.get('content-type')).toContain('text/html');
      const text = await answer.text();
      expect(text).toContain('The service is not available right now. Please try again in a moment.');
      const [, href = ''] = /<a class="button primary" href="([^"]*)">Try again</.exec(text) ?? [];
      expect(inOrder(href.replaceAll('&#38;', '&'))).toBe(inOrder(path));
      expect(text).not.toContain('"success"');
    };
    const { pathname, search } = new URL(address);
    // the whole database, and then only the write of the request
    for (const fails of [() => true, (text: string) => text.includes('into oauth_records')]) {
      isAway = fails;
      await expectPage(pathname + search);
    }
    isAway = () => true;
    await expectPage(choice);
    const program = await browser.request(address, { headers: { accept: 'application/json' } });
    expect([program.status, program.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await program.json()).toMatchObject({ success: false, code: 'unavailable' });
    isAway = () => false;
    expect((await browser.request(address, html)).status, 'retried').toBe(303);
    await away.close();
  });
});
