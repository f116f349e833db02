import { expect, test } from 'vitest';
import { returnPathKey, signOutKey, tokensKey, userKey } from './session-storage.ts';
import { createScriptedBrowser, signedIn, until } from '../testing/scripted-browser.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

test('[SES-1] [SES-2] [SES-6] the signed-in user has the fields of the specification, the expiry in epoch milliseconds', async () => {
  const { browser, tab } = await signedIn();
  expect(tab.session.getState()).toEqual({
    user: {
      id: 'user-of-carl@souk.test',
      email: 'carl@souk.test',
      displayName: 'Carl Coder',
      photoURL: null,
      provider: 'dev',
      accessToken: 'access-1',
      refreshToken: 'handle-0',
      tokenExpiry: browser.now() + 10 * minuteMs,
    },
    isRestoring: false,
  });
});

test('[SES-4] the stored copy is under a user key and a tokens key', async () => {
  const { browser } = await signedIn();
  expect([...browser.local.keys()].sort()).toEqual([tokensKey, userKey]);
  expect(browser.local.get(userKey)).not.toContain('access-1');
});

test('[SES-7] an unexpired stored user is restored immediately, without a request', async () => {
  const { browser } = await signedIn();
  const before = browser.requests.length;
  const tab = browser.openTab();
  void tab.session.start();
  expect(tab.session.getState()).toMatchObject({ user: { email: 'carl@souk.test' }, isRestoring: false });
  expect(browser.requests).toHaveLength(before);
});

test('[SES-3] a stored user without a provider counts as a Google user', async () => {
  const { browser } = await signedIn();
  const { provider: _provider, ...rest } = JSON.parse(browser.local.get(userKey) ?? '');
  browser.local.set(userKey, JSON.stringify(rest));
  const tab = browser.openTab();
  void tab.session.start();
  expect(tab.session.getState().user?.provider).toBe('google');
});

test('[SES-8] [SES-9] [SES-10] a browser closed overnight drops the expired copy and is signed in by its cookie', async () => {
  const { browser } = await signedIn();
  browser.pass(12 * hourMs);
  const before = browser.tokenRequests().length;
  const tab = browser.openTab();
  const started = tab.session.start();
  expect(tab.session.getState()).toEqual({ user: undefined, isRestoring: true });
  expect(browser.local.size).toBe(0);
  await started;
  expect(tab.session.getState()).toMatchObject({
    user: { email: 'carl@souk.test', accessToken: 'access-2' },
    isRestoring: false,
  });
  expect(
    browser
      .tokenRequests()
      .slice(before)
      .map(({ form }) => Object.fromEntries(form)),
  ).toEqual([{ grant_type: 'refresh_token', client_id: 'frontend', renewal: expect.any(String) }]);
});

test('[SES-9] without a stored user and without a cookie the start asks once, and is signed out', async () => {
  const browser = createScriptedBrowser();
  const tab = browser.openTab();
  await tab.session.start();
  expect(tab.session.getState()).toEqual({ user: undefined, isRestoring: false });
  expect(browser.tokenRequests()).toHaveLength(1);
});

test('a visitor without the hint of a cookie is signed out immediately, without a request', () => {
  const browser = createScriptedBrowser();
  browser.isKnownVisitor();
  const { session } = browser.openTab();
  void session.start();
  expect(session.getState()).toEqual({ user: undefined, isRestoring: false });
  expect(browser.requests).toEqual([]);
});

test('two tabs that start concurrently after a night use the cookie once', async () => {
  const { browser } = await signedIn();
  browser.pass(12 * hourMs);
  const before = browser.tokenRequests().length;
  const [one, two] = [browser.openTab(), browser.openTab()];
  await Promise.all([one.session.start(), two.session.start()]);
  expect(browser.tokenRequests()).toHaveLength(before + 1);
  expect(one.session.getState().user).toEqual(two.session.getState().user);
  expect(two.session.getState().user).toBeDefined();
});

test('a start without a response of the broker is not a sign-out: it is retried at growing intervals, and restores the user', async () => {
  const { browser } = await signedIn();
  browser.pass(12 * hourMs);
  const failing = [
    () => Promise.reject(new TypeError('failed to fetch')),
    () => new Response('', { status: 503 }),
    // renewed, and the profile cannot be read
    (path: string) => (path === '/v2/user/profile' ? new Response('', { status: 503 }) : undefined),
  ];
  const tab = browser.openTab();
  void tab.session.start();
  const waits: number[] = [];
  for (let tries = 0; tries < 7; tries++) {
    browser.answerWith(failing[tries % failing.length]);
    await until(() => tab.timers.length > 0);
    expect(tab.session.getState()).toEqual({ user: undefined, isRestoring: true, isAway: true });
    const [timer] = tab.timers.splice(0);
    waits.push((timer?.atMs ?? 0) - browser.now());
    if (tries < 6) timer?.work();
  }
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  browser.answerWith(undefined);
  await tab.session.wake();
  expect(tab.session.getState()).toEqual({
    user: expect.objectContaining({ email: 'carl@souk.test' }),
    isRestoring: false,
  });
});

test('a start that the broker refuses after an outage says that the session ended', async () => {
  const { browser } = await signedIn();
  browser.pass(12 * hourMs);
  browser.answerWith(() => new Response('', { status: 503 }));
  const tab = browser.openTab();
  await tab.session.start();
  browser.dropCookie();
  browser.answerWith(undefined);
  await tab.session.wake();
  expect(tab.session.getState()).toEqual({ user: undefined, isRestoring: false, hasEnded: true });
});

test('[SES-13] a stored expiry of more than 24 hours is rejected', async () => {
  const { browser } = await signedIn();
  for (const key of [userKey, tokensKey]) {
    const entry = JSON.parse(browser.local.get(key) ?? '');
    browser.local.set(key, JSON.stringify({ ...entry, tokenExpiry: browser.now() + 24 * hourMs + 1 }));
  }
  const tab = browser.openTab();
  void tab.session.start();
  expect(tab.session.getState().user).toBeUndefined();
});

test('[SES-18] a sign-in, a change of user and a sign-out in one tab are seen in another, by the storage event', async () => {
  const browser = createScriptedBrowser();
  const [one, two] = [browser.openTab(), browser.openTab()];
  await two.session.start();
  const told: (string | undefined)[] = [];
  two.session.subscribe((user) => told.push(user?.email));
  await one.signIn();
  expect(two.session.getState().user?.email).toBe('carl@souk.test');
  browser.becomes('dana@souk.test');
  await one.signIn();
  expect(two.session.getState().user?.email).toBe('dana@souk.test');
  await one.session.signOut();
  expect(two.session.getState().user).toBeUndefined();
  expect(new Set(told)).toEqual(new Set([undefined, 'carl@souk.test', 'dana@souk.test']));
});

test('[SES-18] a message of a sign-in refreshes the state, and so does the key of earlier releases', async () => {
  for (const key of [null, 'oauth_success']) {
    const { browser } = await signedIn();
    const stored = new Map(browser.local);
    browser.local.clear();
    const tab = browser.openTab();
    await tab.session.start();
    for (const [name, text] of stored) browser.local.set(name, text);
    expect(tab.session.getState().user?.email, 'restored by the cookie').toBe('carl@souk.test');
    tab.session.noticeStorage('theme');
    expect(tab.session.getState().user?.accessToken).toBe('access-2');
    tab.session.noticeStorage(key);
    expect(tab.session.getState().user?.accessToken).toBe('access-1');
  }
});

test('[SES-19] [SES-20] [SES-21] a subscriber is called immediately, on every change, and no longer once it unsubscribed', async () => {
  const browser = createScriptedBrowser();
  const tab = browser.openTab();
  const told: (string | undefined)[] = [];
  const unsubscribe = tab.session.subscribe((user) => told.push(user?.accessToken));
  expect(told).toEqual([undefined]);
  await tab.signIn();
  browser.pass(hourMs);
  await tab.session.token();
  expect(told).toEqual([undefined, 'access-1', 'access-2']);
  unsubscribe();
  await tab.session.signOut();
  expect(told).toHaveLength(3);
});

test('[SES-22] [SES-23] [SES-12] [SES-5] sign-out clears the stored user, tokens, older keys and cookies, and tells subscribers', async () => {
  const { browser, tab } = await signedIn();
  for (const key of ['token', 'auth_token', 'user_data', 'oauth_success']) browser.local.set(key, 'old');
  const told: unknown[] = [];
  tab.session.subscribe((user) => told.push(user));
  await tab.session.signOut();
  expect(browser.local.size).toBe(0);
  expect(tab.cookiesCleared()).toBe(1);
  expect(told.at(-1)).toBeUndefined();
  expect(tab.session.getState()).toEqual({ user: undefined, isRestoring: false });
  expect(browser.hasCookie()).toBe(false);
  expect(browser.requests.at(-1)?.path).toBe('/oauth/logout');
});

test('a sign-out that did not reach the broker is not undone by the cookie, and is completed at the next start', async () => {
  const { browser, tab } = await signedIn();
  browser.answerWith(() => Promise.reject(new TypeError('failed to fetch')));
  await tab.session.signOut();
  expect(browser.hasCookie()).toBe(true);
  browser.answerWith(undefined);
  const next = browser.openTab();
  await next.session.start();
  expect(next.session.getState()).toEqual({ user: undefined, isRestoring: false });
  expect(browser.hasCookie()).toBe(false);
  expect(browser.local.has(signOutKey)).toBe(false);
});

test('[SES-24] [SES-25] forced refresh reads storage again and tells subscribers only when it found a user', async () => {
  const { browser, tab } = await signedIn();
  const told: unknown[] = [];
  tab.session.subscribe((user) => told.push(user?.email));
  tab.session.forceRefresh();
  expect(told).toEqual(['carl@souk.test', 'carl@souk.test']);
  browser.local.clear();
  tab.session.forceRefresh();
  expect(told).toHaveLength(2);
});

test('switching the account ends the session at the broker, then asks for an account and returns to the same page', async () => {
  const { browser, tab } = await signedIn();
  void tab.session.switchAccount('/connect/notes');
  await until(() => tab.left.length === 2);
  expect(browser.requests.at(-1)?.path).toBe('/oauth/logout');
  expect(browser.hasCookie()).toBe(false);
  expect(tab.session.getState().user).toBeUndefined();
  const login = new URL(tab.left.at(-1) ?? '');
  expect(login.pathname).toBe('/login');
  expect(login.searchParams.get('prompt')).toBe('login');
  expect(tab.temporary.get(returnPathKey)).toBe('/connect/notes');
});

test('a session that the broker refuses says that it ended, until the user has read it', async () => {
  const { browser, tab } = await signedIn();
  browser.pass(hourMs);
  browser.dropCookie();
  const asking = tab.session.token();
  await until(() => tab.timers.some(({ atMs }) => atMs === browser.now() + 1_000));
  for (const { work } of tab.timers.filter(({ atMs }) => atMs === browser.now() + 1_000)) work();
  await asking;
  expect(tab.session.getState()).toEqual({ user: undefined, isRestoring: false, hasEnded: true });
  tab.session.acknowledgeEnd();
  expect(tab.session.getState()).toEqual({ user: undefined, isRestoring: false });
});

test('a session that ended while the browser was closed says so at the next start', async () => {
  const { browser } = await signedIn();
  browser.pass(12 * hourMs);
  browser.dropCookie();
  const tab = browser.openTab();
  await tab.session.start();
  expect(tab.session.getState()).toEqual({ user: undefined, isRestoring: false, hasEnded: true });
});

test('a sign-out needs no message in its own tab, and shows one in the other tabs', async () => {
  const { browser, tab } = await signedIn();
  const other = browser.openTab();
  void other.session.start();
  await tab.session.signOut();
  expect(tab.session.getState()).toEqual({ user: undefined, isRestoring: false });
  expect(other.session.getState()).toEqual({ user: undefined, isRestoring: false, hasEnded: true });
});

test('[SES-32] [SES-33] a refused profile is null, and logged', async () => {
  const { browser, tab } = await signedIn();
  expect(await tab.session.fetchProfile()).toMatchObject({ email: 'carl@souk.test', planId: 'free' });
  browser.answerWith(() => new Response('', { status: 500, statusText: 'Internal Server Error' }));
  expect(await tab.session.fetchProfile()).toBeNull();
  expect(tab.logged).toEqual(['Failed to fetch user profile: Internal Server Error']);
  browser.answerWith(() => Promise.reject(new TypeError('failed to fetch')));
  expect(await tab.session.fetchProfile()).toBeNull();
});

test('[SES-34] a profile without a session is an error', async () => {
  const { session } = createScriptedBrowser().openTab();
  await expect(session.fetchProfile()).rejects.toThrow(/^No authenticated user$/);
});
