import { expect, test } from 'vitest';
import { origin, signedIn, until } from '../testing/scripted-browser.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const profileUrl = `${origin}/v2/user/profile`;
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test('[SES-15] the token is renewed automatically before it expires', async () => {
  const { browser, tab } = await signedIn();
  expect(tab.timers.map(({ atMs }) => atMs - browser.now())).toEqual([9 * minuteMs]);
  browser.pass(9 * minuteMs);
  tab.timers[0]?.work();
  await until(() => tab.session.getState().user?.accessToken === 'access-2');
  expect(tab.timers.map(({ atMs }) => atMs - browser.now())).toEqual([9 * minuteMs]);
});

test('[SES-15] a call after a long sleep renews first', async () => {
  const { browser, tab } = await signedIn();
  browser.pass(3 * hourMs);
  expect(await tab.session.token()).toBe('access-2');
});

test('many concurrent calls renew once', async () => {
  const { browser, tab } = await signedIn();
  browser.pass(hourMs);
  const before = browser.tokenRequests().length;
  const tokens = await Promise.all([1, 2, 3, 4, 5].map(() => tab.session.token()));
  expect(new Set(tokens)).toEqual(new Set(['access-2']));
  expect(browser.tokenRequests()).toHaveLength(before + 1);
});

test('two tabs that renew concurrently use one refresh, and both have the new token', async () => {
  const { browser, tab } = await signedIn();
  const other = browser.openTab();
  void other.session.start();
  browser.pass(hourMs);
  const before = browser.tokenRequests().length;
  const tokens = await Promise.all([tab.session.token(), other.session.token()]);
  expect(tokens).toEqual(['access-2', 'access-2']);
  expect(browser.tokenRequests()).toHaveLength(before + 1);
});

test('a renewal lost by the network keeps the user, and the token until it expires', async () => {
  const { browser, tab } = await signedIn();
  browser.pass(9.8 * minuteMs);
  browser.answerWith(() => Promise.reject(new TypeError('failed to fetch')));
  expect(await tab.session.token()).toBe('access-1');
  browser.pass(minuteMs);
  await expect(tab.session.token()).rejects.toThrow('Network error occurred');
  expect(tab.session.getState().user?.email).toBe('carl@souk.test');
});

test('a session outlives a short outage of the broker: it reports the outage, and retries', async () => {
  const { browser, tab } = await signedIn();
  browser.pass(hourMs);
  browser.answerWith(() => new Response('', { status: 503, statusText: 'Service Unavailable' }));
  await expect(tab.session.token()).rejects.toThrow('HTTP 503: Service Unavailable');
  const { user } = tab.session.getState();
  expect(tab.session.getState()).toEqual({ user, isRestoring: false, isAway: true });
  // another tab is opened meanwhile, which drops the expired copy
  const other = browser.openTab();
  await other.session.start();
  expect(tab.session.getState(), 'no sign-out').toEqual({ user, isRestoring: false, isAway: true });
  browser.answerWith(undefined);
  const again = tab.timers.find(({ atMs }) => atMs > browser.now()) ?? tab.timers[0];
  again?.work();
  await until(() => tab.session.getState().user?.accessToken === 'access-2');
  expect(tab.session.getState()).not.toHaveProperty('isAway');
});

/** Lets the short pause after a refusal pass. */
async function endPause({ browser, tab }: Awaited<ReturnType<typeof signedIn>>) {
  const pause = () => tab.timers.find(({ atMs }) => atMs === browser.now() + 1_000);
  await until(() => pause() !== undefined);
  pause()?.work();
}

test('[SES-15] a renewal whose response is lost is retried by its name, in any tab, and keeps the session', async () => {
  const { browser, tab } = await signedIn();
  browser.pass(9.8 * minuteMs);
  browser.loseAnswer();
  expect(await tab.session.token(), 'the old one stays valid').toBe('access-1');
  const [lost] = browser.tokenRequests().slice(-1);
  expect(lost?.form.get('renewal')).toMatch(/^[\w-]{22}$/);
  browser.pass(hourMs);
  const other = browser.openTab();
  await other.session.start();
  expect(other.session.getState().user?.email).toBe('carl@souk.test');
  expect(browser.tokenRequests().at(-1)?.form.get('renewal')).toBe(lost?.form.get('renewal'));
  browser.pass(hourMs);
  expect(await other.session.token()).toBeDefined();
  expect(browser.tokenRequests().at(-1)?.form.get('renewal'), 'the next one is another').not.toBe(
    lost?.form.get('renewal'),
  );
  expect([...browser.local.keys()].toSorted()).toEqual(['souk.tokens', 'souk.user']);
});

test('a renewal that is refused twice signs out', async () => {
  const { browser, tab } = await signedIn();
  browser.dropCookie();
  browser.pass(hourMs);
  const asking = tab.session.token();
  await endPause({ browser, tab });
  expect(await asking).toBeUndefined();
  expect(tab.session.getState().user).toBeUndefined();
  expect(browser.local.size).toBe(0);
});

test('a renewal that is refused because a tab closed in the middle of its own is retried, and keeps the session', async () => {
  const { browser, tab } = await signedIn();
  browser.pass(hourMs);
  browser.answerWith((path) => (path === '/oauth/token' ? new Response('', { status: 400 }) : undefined));
  const asking = tab.session.token();
  await until(() => tab.timers.some(({ atMs }) => atMs === browser.now() + 1_000));
  browser.answerWith(undefined);
  await endPause({ browser, tab });
  expect(await asking).toBe('access-2');
  expect(tab.session.getState().user?.email).toBe('carl@souk.test');
});

test('a renewal never takes over another sign-in: the handle is sent', async () => {
  const { browser, tab } = await signedIn();
  browser.pass(hourMs);
  await tab.session.token();
  expect(browser.tokenRequests().at(-1)?.form.get('refresh_token')).toBe('handle-0');
});

test('[SES-36] authorized calls send the bearer token and include credentials, also when a 401 has renewed the token', async () => {
  const { browser, tab } = await signedIn();
  browser.endAccessTokens();
  const before = browser.requests.length;
  const answer = await tab.session.fetch(profileUrl, bearer('access-1'));
  expect(answer.status).toBe(200);
  const sent = browser.requests.slice(before);
  expect(sent.map(({ path }) => path)).toEqual(['/v2/user/profile', '/oauth/token', '/v2/user/profile']);
  const bearers = sent.map(({ init }) => new Headers(init.headers).get('authorization'));
  expect(bearers).toEqual(['Bearer access-1', null, 'Bearer access-2']);
  expect(sent.map(({ init }) => init.credentials)).toEqual(['include', 'include', 'include']);
});

test('a repeated 401 is returned unchanged', async () => {
  const { browser, tab } = await signedIn();
  browser.answerWith((path) => (path === '/v2/user/profile' ? new Response('', { status: 401 }) : undefined));
  const before = browser.requests.length;
  expect((await tab.session.fetch(profileUrl, bearer('access-1'))).status).toBe(401);
  expect(browser.requests).toHaveLength(before + 3);
});

test('a 401 of a call without a token renews nothing', async () => {
  const { browser, tab } = await signedIn();
  const before = browser.requests.length;
  expect((await tab.session.fetch(profileUrl, {})).status).toBe(401);
  expect(browser.requests).toHaveLength(before + 1);
});

test('a running renewal does not bring back a user who signs out meanwhile', async () => {
  const { browser, tab } = await signedIn();
  const other = browser.openTab();
  void other.session.start();
  browser.pass(hourMs);
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<undefined>();
  browser.answerWith((path) => {
    if (path !== '/oauth/token') return undefined;
    asked.resolve();
    return go.promise;
  });
  const renewing = tab.session.token();
  await asked.promise;
  const leaving = other.session.signOut();
  go.resolve(undefined);
  await Promise.all([renewing, leaving]);
  expect([tab.session.getState().user, other.session.getState().user]).toEqual([undefined, undefined]);
  expect(browser.local.size).toBe(0);
  expect(browser.hasCookie()).toBe(false);
});

test('a session that ends because the account is deactivated says so', async () => {
  const { browser, tab } = await signedIn();
  browser.answerWith((path) =>
    path === '/v2/user/profile'
      ? Response.json({ code: 'unauthenticated', reason: 'account_deactivated' }, { status: 401 })
      : new Response('', { status: 400 }),
  );
  const asked = tab.session.fetch(profileUrl, bearer('access-1'));
  await endPause({ browser, tab });
  expect((await asked).status).toBe(401);
  expect(tab.session.getState()).toEqual({
    user: undefined,
    isRestoring: false,
    hasEnded: true,
    isDeactivated: true,
  });
});
