import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { returnPathKey, stateKey, verifierKey } from '../session/session-storage.ts';
import { createScriptedBrowser, origin, until } from '../testing/scripted-browser.ts';

async function leave(path = '/marketplace?q=notes') {
  const browser = createScriptedBrowser();
  const tab = browser.openTab();
  let returned = false;
  void tab.session.startSignIn(path).finally(() => (returned = true));
  await until(() => tab.left.length > 0);
  const url = new URL(tab.left[0] ?? '');
  return { browser, tab, url, state: url.searchParams.get('state') ?? '', returned: () => returned };
}

test('[SIGN-1] [SIGN-2] [SIGN-3] [SIGN-4] a sign-in has a verifier of 128 characters, a state of 32, and an S256 challenge', async () => {
  const { tab, url, state } = await leave();
  const verifier = tab.temporary.get(verifierKey) ?? '';
  expect(verifier).toMatch(/^[A-Za-z0-9._~-]{128}$/);
  expect(state).toMatch(/^[A-Za-z0-9_-]{32}$/);
  expect(url.searchParams.get('code_challenge')).toBe(createHash('sha256').update(verifier).digest('base64url'));
});

test('two sign-ins share neither verifier nor state', async () => {
  const [first, second] = [await leave(), await leave()];
  expect(first.state).not.toBe(second.state);
  expect(first.tab.temporary.get(verifierKey)).not.toBe(second.tab.temporary.get(verifierKey));
});

test('[SIGN-8] [HDR-11] the current path is stored as the return target', async () => {
  const { tab } = await leave('/service/notes?tab=tools');
  expect(tab.temporary.get(returnPathKey)).toBe('/service/notes?tab=tools');
});

test('[HDR-12] [SIGN-6] [SIGN-9] the whole page goes to the login page, with /auth/callback as the way back, and does not return', async () => {
  const { tab, url, returned } = await leave();
  expect(tab.left).toHaveLength(1);
  expect(url.origin + url.pathname).toBe(`${origin}/login`);
  expect(url.searchParams.get('return_to')).toBe(`${origin}/auth/callback`);
  expect(returned()).toBe(false);
});

test('[SIGN-5] [SIGN-15] [SIGN-19] the callback swaps code and verifier, fetches the profile, stores the user and returns the target', async () => {
  const { browser, tab, state } = await leave();
  const verifier = tab.temporary.get(verifierKey);
  expect(await tab.session.completeSignIn(new URLSearchParams({ code: 'good-code', state }))).toBe(
    '/marketplace?q=notes',
  );
  expect(Object.fromEntries(browser.exchanges()[0]?.form ?? [])).toEqual({
    grant_type: 'authorization_code',
    client_id: 'frontend',
    code: 'good-code',
    redirect_uri: `${origin}/auth/callback`,
    code_verifier: verifier,
  });
  expect(browser.requests.map(({ path }) => path)).toEqual(['/oauth/token', '/v2/user/profile']);
  expect(tab.session.getState().user).toMatchObject({ email: 'carl@souk.test', accessToken: 'access-1' });
  expect(browser.local.size).toBe(2);
});

test('[SIGN-20] [SIGN-41] the callback leaves no temporary state, whether it works or not', async () => {
  for (const answer of [{ code: 'good-code' }, { code: 'bad-code' }, {}]) {
    const { tab, state } = await leave();
    await tab.session.completeSignIn(new URLSearchParams({ ...answer, state })).catch(() => undefined);
    expect([...tab.temporary]).toEqual([]);
  }
});

test('[SIGN-21] another state than the stored one is refused, and nothing is exchanged', async () => {
  const { browser, tab } = await leave();
  const forged = new URLSearchParams({ code: 'good-code', state: 'x'.repeat(32) });
  await expect(tab.session.completeSignIn(forged)).rejects.toThrow(/^Invalid state parameter - possible CSRF attack$/);
  expect(browser.exchanges()).toEqual([]);
});

test('[SIGN-21] a response to a sign-in that this tab never started is refused', async () => {
  const { session } = createScriptedBrowser().openTab();
  const forged = new URLSearchParams({ code: 'good-code', state: 'x'.repeat(32) });
  await expect(session.completeSignIn(forged)).rejects.toThrow('Invalid state parameter - possible CSRF attack');
});

test('[SIGN-22] without a stored verifier it fails', async () => {
  const { tab, state } = await leave();
  tab.temporary.delete(verifierKey);
  const answer = new URLSearchParams({ code: 'good-code', state });
  await expect(tab.session.completeSignIn(answer)).rejects.toThrow(/^Missing code verifier$/);
});

test('[SIGN-23] a refused exchange gives the body of the response', async () => {
  const { tab, state } = await leave();
  const answer = new URLSearchParams({ code: 'bad-code', state });
  await expect(tab.session.completeSignIn(answer)).rejects.toThrow(/^Token exchange failed: code used$/);
  expect(tab.session.getState().user).toBeUndefined();
});

test('[SIGN-24] a refused profile gives its status text', async () => {
  const { browser, tab, state } = await leave();
  browser.answerWith((path) =>
    path === '/v2/user/profile' ? new Response('', { status: 403, statusText: 'Forbidden' }) : undefined,
  );
  const answer = new URLSearchParams({ code: 'good-code', state });
  await expect(tab.session.completeSignIn(answer)).rejects.toThrow(/^Failed to get user info: Forbidden$/);
  expect(tab.session.getState().user).toBeUndefined();
});

test('[SIGN-25] a response without code or without state is refused', async () => {
  for (const half of ['code', 'state']) {
    const { tab, state } = await leave();
    const answer = new URLSearchParams({ [half]: half === 'state' ? state : 'good-code' });
    await expect(tab.session.completeSignIn(answer)).rejects.toThrow(/^Missing required OAuth parameters$/);
  }
});

test('[SIGN-26] an OAuth error leads silently home', async () => {
  const { browser, tab, state } = await leave();
  expect(await tab.session.completeSignIn(new URLSearchParams({ error: 'access_denied', state }))).toBe('/');
  expect(browser.exchanges()).toEqual([]);
});

test('a network failure is reported as such', async () => {
  const { browser, tab, state } = await leave();
  browser.answerWith(() => Promise.reject(new TypeError('failed to fetch')));
  const answer = new URLSearchParams({ code: 'good-code', state });
  await expect(tab.session.completeSignIn(answer)).rejects.toThrow(/^Network error occurred$/);
});

test('a response that is submitted twice is exchanged once', async () => {
  const { browser, tab, state } = await leave();
  const answer = new URLSearchParams({ code: 'good-code', state });
  const paths = await Promise.all([tab.session.completeSignIn(answer), tab.session.completeSignIn(answer)]);
  expect(paths).toEqual(['/marketplace?q=notes', '/marketplace?q=notes']);
  expect(browser.exchanges()).toHaveLength(1);
});

test('a stored state is valid for one response', async () => {
  const { tab, state } = await leave();
  await tab.session.completeSignIn(new URLSearchParams({ code: 'bad-code', state })).catch(() => undefined);
  const second = new URLSearchParams({ code: 'good-code', state });
  await expect(tab.session.completeSignIn(second)).rejects.toThrow('Invalid state parameter');
  expect(tab.temporary.has(stateKey)).toBe(false);
});

test('a failed callback keeps the previously signed-in user', async () => {
  const { browser, tab } = await leave();
  await tab.signIn();
  const next = browser.openTab();
  const forged = new URLSearchParams({ code: 'good-code', state: 'x'.repeat(32) });
  await expect(next.session.completeSignIn(forged)).rejects.toThrow('Invalid state parameter');
  expect(next.session.getState()).toMatchObject({ user: { email: 'carl@souk.test' }, isRestoring: false });
});
