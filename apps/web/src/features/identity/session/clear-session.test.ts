import { expect, test } from 'vitest';
import { tokensKey, userKey } from './session-storage.ts';
import { signedIn, until } from '../testing/scripted-browser.ts';

test('[SES-26] [SES-5] forced clear wipes every auth key of both storages and the cookies, then tells subscribers', async () => {
  const { browser, tab } = await signedIn();
  void tab.session.startSignIn('/');
  await until(() => tab.left.length === 2);
  const older = ['token', 'auth_token', 'user_data', 'oauth_success'];
  for (const store of [browser.local, tab.temporary]) {
    for (const key of [...older, userKey, tokensKey]) store.set(key, 'old');
  }
  browser.local.set('theme', 'dark');
  tab.temporary.set('draft', 'text');
  const told: unknown[] = [];
  tab.session.subscribe((user) => told.push([user?.email, browser.local.has(userKey), tab.cookiesCleared()]));
  const cleared = tab.session.forceClear();
  expect(tab.session.getState()).toEqual({ user: undefined, isRestoring: false });
  await cleared;
  expect([...browser.local.keys()]).toEqual(['theme']);
  expect([...tab.temporary.keys()]).toEqual(['draft']);
  expect(tab.cookiesCleared()).toBe(1);
  expect(told[0]).toEqual(['carl@souk.test', true, 0]);
  expect(told.slice(1), 'called without a user, and after the wiping').toEqual([[undefined, false, 0]]);
});

test('[SES-26] forced clear ends the refresh cookie at the broker, so that no new tab is signed in again', async () => {
  const { browser, tab } = await signedIn();
  await tab.session.forceClear();
  expect(browser.requests.at(-1)?.path).toBe('/oauth/logout');
  expect(browser.hasCookie()).toBe(false);
  const next = browser.openTab();
  await next.session.start();
  expect(next.session.getState().user).toBeUndefined();
});

test('[SES-26] a forced clear without the network is completed at the next start', async () => {
  const { browser, tab } = await signedIn();
  browser.answerWith(() => Promise.reject(new TypeError('failed to fetch')));
  await tab.session.forceClear();
  expect(browser.hasCookie()).toBe(true);
  browser.answerWith(undefined);
  const next = browser.openTab();
  await next.session.start();
  expect(next.session.getState().user).toBeUndefined();
  expect(browser.hasCookie()).toBe(false);
});

const authKeys = [userKey, tokensKey, 'token', 'auth_token', 'user_data', 'oauth_success'];

test.each(authKeys)(
  '[SES-27] stale clearing removes an expired %s from both storages, and not a current one',
  async (key) => {
    const { browser, tab } = await signedIn();
    const current = browser.local.get(key) ?? JSON.stringify({ tokenExpiry: browser.now() + 1 });
    const expired = JSON.stringify({ ...JSON.parse(current), tokenExpiry: browser.now() });
    const others = [...browser.local].filter(([name]) => name !== key);
    for (const store of [browser.local, tab.temporary]) store.set(key, current);
    tab.session.clearStale();
    expect([browser.local.get(key), tab.temporary.get(key)]).toEqual([current, current]);
    for (const store of [browser.local, tab.temporary]) store.set(key, expired);
    tab.session.clearStale();
    expect([browser.local.has(key), tab.temporary.has(key)]).toEqual([false, false]);
    expect([...browser.local], 'the others stay').toEqual(others);
  },
);

test.each(authKeys)('[SES-28] stale clearing removes a %s that cannot be parsed from both storages', async (key) => {
  const { browser, tab } = await signedIn();
  const others = [...browser.local].filter(([name]) => name !== key);
  for (const store of [browser.local, tab.temporary]) store.set(key, '{not json');
  tab.session.clearStale();
  expect([browser.local.has(key), tab.temporary.has(key)]).toEqual([false, false]);
  expect([...browser.local], 'the others stay').toEqual(others);
});

test.each([userKey, tokensKey])('[SES-28] stale clearing removes a %s that is JSON of another form', async (key) => {
  const { browser, tab } = await signedIn();
  browser.local.set(key, '{"tokenExpiry":99999999999999}');
  tab.session.clearStale();
  expect(browser.local.has(key)).toBe(false);
});
