import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { failCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { accountMenu, openSignedIn, signIn } from './sign-in.ts';

const signInButton = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true });
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Counts the requests of this page that renew or restore a session. */
function countRefreshes(page: Page): () => number {
  let refreshes = 0;
  page.on('request', (request) => {
    if (request.postData()?.includes('grant_type=refresh_token')) refreshes += 1;
  });
  return () => refreshes;
}

test('[SES-7] [SES-29] [SES-30] [SES-31] a sign-in survives a reload and a second tab, and the profile names the user', async ({
  page,
  context,
}) => {
  await page.goto('/');
  const answer = page.waitForResponse('**/v2/user/profile');
  await signIn(page, 'staying@souk.test');
  const profile = await (await answer).json();
  const { id } = await page.evaluate(() => JSON.parse(localStorage.getItem('souk.user') ?? '{}'));
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(Math.abs(Date.now() - Date.parse(profile.createdAt))).toBeLessThan(60_000);
  expect(profile).toEqual({
    id,
    email: 'staying@souk.test',
    displayName: 'staying',
    photoURL: null,
    provider: 'dev',
    planId: 'free',
    planStatus: 'active',
    disabledServers: [],
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    role: 'user',
  });
  const refreshes = countRefreshes(page);
  await page.reload();
  await expect(accountMenu(page)).toBeVisible();
  const second = await context.newPage();
  await second.goto('/marketplace');
  await expect(accountMenu(second)).toBeVisible();
  expect(refreshes()).toBe(0);

  await accountMenu(second).click();
  await second.getByRole('menuitem', { name: 'Sign Out', exact: true }).click();
  await expect(signInButton(page), 'signed out there, seen here').toBeVisible();
  await signIn(page, 'next@souk.test');
  await expect(accountMenu(second), 'signed in here, seen there').toBeVisible();
});

test('[SES-9] [SES-10] a browser that was closed overnight is still signed in when it opens', async ({
  page,
  context,
  browser,
  product,
}) => {
  await openSignedIn(page, '/', 'sleeping@souk.test');
  const { cookies, origins } = await context.storageState();
  await context.close();
  const nextMorningMs = Date.now() + 14 * hourMs;
  // a closed browser keeps neither session cookies nor expired ones
  const kept = cookies.filter(({ expires }) => expires * 1000 > nextMorningMs);
  const opened = await browser.newContext({
    baseURL: product.publicUrl,
    storageState: { cookies: kept, origins },
  });
  const morning = await opened.newPage();
  await morning.clock.install({ time: nextMorningMs });
  const refreshes = countRefreshes(morning);
  await morning.goto('/');
  await expect(accountMenu(morning)).toContainText('sleeping');
  expect(refreshes()).toBe(1);
  await opened.close();
});

test('a sign-in leaves an access token of 10 minutes, which calls send, and a refresh token that no script can read', async ({
  page,
  context,
  playwright,
  product,
}) => {
  await test.step('[SES-14] an access token of the web lives 10 minutes', async () => {
    const answering = page.waitForResponse('**/oauth/token');
    await page.goto('/');
    await signIn(page, 'leaves-tokens@souk.test');
    const answer = Object(await (await answering).json());
    expect([answer.expiresIn, answer.expires_in]).toEqual([600, 600]);
    const claims = JSON.parse(Buffer.from(String(answer.accessToken).split('.')[1] ?? '', 'base64url').toString());
    expect(claims.exp - claims.iat).toBe(600);
  });
  await test.step('[SES-36] an authorized call sends the bearer token of the session', async () => {
    const calling = page.waitForRequest((request) => request.url().endsWith('/auth/pat/list'));
    await page.goto('/dashboard?tab=tokens');
    const { authorization } = await (await calling).allHeaders();
    const stored = await page.evaluate(() => JSON.parse(localStorage.getItem('souk.tokens') ?? '{}').accessToken);
    expect(authorization).toBe(`Bearer ${stored}`);
  });
  await test.step('[SES-16] [SES-17] the refresh token is in a cookie that no script can read, and the handle next to it is worthless without it', async () => {
    const cookie = (await context.cookies(`${product.publicUrl}/oauth`)).find(({ name }) => name === 'souk_refresh');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/oauth' });
    expect(await page.evaluate(() => document.cookie)).not.toContain('souk_refresh');
    const stored = await page.evaluate(() => localStorage.getItem('souk.tokens'));
    const handle = String(Object(JSON.parse(stored ?? '{}')).refreshToken);
    expect(stored).not.toContain(cookie?.value);
    const elsewhere = await playwright.request.newContext();
    const refused = await elsewhere.post(`${product.publicUrl}/oauth/token`, {
      headers: { origin: product.publicUrl },
      form: { grant_type: 'refresh_token', client_id: 'frontend', refresh_token: handle },
    });
    expect(refused.status()).toBe(400);
    await elsewhere.dispose();
  });
});

test('[SES-18] a sign-in in another tab is noticed here by the storage event, and one in a window by its message', async ({
  page,
  context,
}) => {
  await page.goto('/');
  const other = await context.newPage();
  await other.goto('/');
  await signIn(other, 'seen@souk.test');
  await expect(accountMenu(page), 'by the storage event').toContainText('seen');

  const stored = await page.evaluate(() => ({ ...localStorage }));
  await accountMenu(other).click();
  await other.getByRole('menuitem', { name: 'Sign Out', exact: true }).click();
  await expect(signInButton(page)).toBeVisible();
  await other.close();
  // written by this page itself, which therefore gets no storage event
  await page.evaluate((entries) => {
    for (const [key, text] of Object.entries(entries)) localStorage.setItem(key, text);
  }, stored);
  await expect(signInButton(page)).toBeVisible();
  await page.evaluate(() => window.postMessage({ type: 'souk:sign-in', success: true }, window.location.origin));
  await expect(accountMenu(page), 'by the message').toContainText('seen');
});

test('an ended session says so, and a sign-out here does not', async ({ page, context, product }) => {
  await openSignedIn(page, '/', 'ended@souk.test');
  const ended = page.getByRole('status').filter({ hasText: "You've been signed out." });
  await context.clearCookies();
  await page.evaluate(() => {
    for (const key of ['souk.user', 'souk.tokens']) {
      const entry = JSON.parse(localStorage.getItem(key) ?? '{}');
      localStorage.setItem(key, JSON.stringify({ ...entry, tokenExpiry: Date.now() - 1 }));
    }
  });
  await page.goto('/dashboard?tab=tokens');
  await expect(page).toHaveURL(`${product.publicUrl}/`);
  await expect(ended).toBeVisible();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(ended).toHaveCount(0);
  await signIn(page, 'ended@souk.test');
  await expect(page).toHaveURL(`${product.publicUrl}/dashboard`);
  await accountMenu(page).click();
  await page.getByRole('menuitem', { name: 'Sign Out', exact: true }).click();
  await expect(signInButton(page)).toBeVisible();
  await expect(ended).toHaveCount(0);
});

test('while the broker cannot respond, a session that is due for a renewal is kept: the page says so, waits and continues automatically', async ({
  page,
  product,
}) => {
  await page.clock.install();
  await openSignedIn(page, '/', 'patient@souk.test');
  await page.goto('/dashboard?tab=usage');
  const heading = page.getByRole('heading', { name: 'Dashboard', exact: true });
  const away = page.getByRole('status').filter({ hasText: 'The service is not available right now.' });
  await expect(heading).toBeVisible();
  await expect(away).toHaveCount(0);
  // the page is open, and its token expires
  const heal = await failCalls(page, '**/oauth/token', { status: 503, message: 'away' });
  await page.clock.fastForward(11 * minuteMs);
  await expect(away).toBeVisible();
  await expect(heading).toBeVisible();
  await expectNoAxeFindings(page);
  // the page is loaded again, and has no session to show yet
  await page.reload();
  await expect(away).toBeVisible();
  await expect(page).toHaveURL(`${product.publicUrl}/dashboard?tab=usage`);
  await expect(signInButton(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Try now', exact: true }).click();
  await expect(away).toBeVisible();
  await heal();
  await page.clock.fastForward(minuteMs);
  await expect(heading).toBeVisible();
  await expect(away).toHaveCount(0);
  await expect(accountMenu(page)).toContainText('patient');
  await expect(page).toHaveURL(`${product.publicUrl}/dashboard?tab=usage`);
});

test('[SES-15] the token is renewed before it expires, and two tabs that do so concurrently keep the session', async ({
  page,
  context,
}) => {
  await page.clock.install();
  await openSignedIn(page, '/', 'renewing@souk.test');
  const second = await context.newPage();
  await second.goto('/');
  await expect(accountMenu(second)).toBeVisible();
  const refreshes = [countRefreshes(page), countRefreshes(second)];
  const tokens = (tab: Page) => tab.evaluate(() => localStorage.getItem('souk.tokens'));
  const before = await tokens(page);
  // one clock moves every tab of the browser, so that both renew at the same moment
  await page.clock.fastForward(9 * minuteMs);
  await expect.poll(async () => [before, null].includes(await tokens(page))).toBe(false);
  await second.reload();
  await expect(accountMenu(second)).toBeVisible();
  await expect(accountMenu(page)).toBeVisible();
  expect(refreshes.reduce((sum, count) => sum + count(), 0)).toBe(1);
});

test('[SES-15] if the network loses the response to a renewal, the next renewal succeeds', async ({
  page,
  context,
}) => {
  await page.clock.install();
  await openSignedIn(page, '/', 'tunnel@souk.test');
  const tokens = () => page.evaluate(() => localStorage.getItem('souk.tokens'));
  const before = await tokens();
  const cookies = await context.cookies();
  await routeNow(
    page,
    '**/oauth/token',
    async (route) => {
      await route.fetch();
      await context.addCookies(cookies);
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
  const lost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/oauth/token'));
  await page.clock.fastForward(9 * minuteMs);
  await lost;
  const again = page.waitForResponse('**/oauth/token');
  await page.reload();
  await page.clock.fastForward(minuteMs);
  expect((await again).status()).toBe(200);
  await expect.poll(async () => [before, null].includes(await tokens())).toBe(false);
  await expect(accountMenu(page)).toBeVisible();
});

test('[SES-11] [SES-12] cookies of earlier releases sign no user in, and are deleted at sign-out', async ({
  page,
  context,
  product,
}) => {
  const older = ['user_data', 'auth_token'].map((name) => ({
    name,
    value: encodeURIComponent(JSON.stringify({ id: '1', email: 'old@souk.test', tokenExpiry: Date.now() + hourMs })),
    url: product.publicUrl,
  }));
  await context.addCookies(older);
  await page.goto('/');
  await expect(signInButton(page)).toBeVisible();
  await signIn(page, 'newer@souk.test');
  await accountMenu(page).click();
  await page.getByRole('menuitem', { name: 'Sign Out', exact: true }).click();
  await expect(signInButton(page)).toBeVisible();
  const left = (await context.cookies()).map(({ name }) => name);
  expect(left).not.toEqual(expect.arrayContaining(['user_data']));
  expect(left).not.toEqual(expect.arrayContaining(['auth_token']));
});

test('[SES-35] a call without a signed-in user asks to log in, and one about preferences says that no user is signed in', async ({
  request,
}) => {
  const messageOf = async (path: string) => Object(await (await request.get(path)).json()).message;
  expect(await messageOf('/v2/user/profile')).toBe('Authentication required. Please log in.');
  expect(await messageOf('/api/users/anybody/mcp-preferences')).toBe('User not authenticated');
  const saving = await request.put('/api/users/anybody/mcp-preferences', { data: { disabledServers: [] } });
  expect(Object(await saving.json()).message).toBe('User not authenticated');
});
