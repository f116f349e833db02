import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page, Response } from '@playwright/test';
import { buildWeb } from '../../apps/broker/src/web-app/build-web.ts';
import { administratorCalls, erasePerson, newPerson } from './administrator-calls.ts';
import { axeFindings } from './axe-findings.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { accountMenu, openSignedIn } from './sign-in.ts';
import { act } from './users-page.ts';

const change = {
  id: 7,
  serverId: 'travel',
  tool: 'distance',
  kind: 'definition',
  status: 'pending',
  before: { name: 'distance', description: 'Measures a distance.' },
  after: { name: 'distance', description: '<img src=x onerror=alert(1)>' },
  foundAt: '2026-11-21T03:00:00.000Z',
  decidedAt: null,
  decidedBy: null,
  reason: null,
};

test("[HDR-7] [GEN-20] [ADM-1] [ADM-2] the menu of an administrator leads to the area, which says 'Checking access permissions...' where it must, and shows the specification's two tabs first", async ({
  page,
}) => {
  await openSignedIn(page, '/marketplace', 'admin@souk.test');
  await accountMenu(page).click();
  await page.getByRole('menuitem', { name: 'Admin', exact: true }).click();
  await expect(page).toHaveURL(/\/admin$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Administration', exact: true })).toBeVisible();
  await expect(page.getByRole('row', { name: /^Travel 1/ })).toBeVisible();

  const answer = Promise.withResolvers<void>();
  await routeNow(page, '**/v2/user/profile', async (route) => {
    await answer.promise;
    await route.continue();
  });
  await page.reload();
  await expect(page.getByRole('main').getByText('Checking access permissions...').first()).toBeVisible();
  answer.resolve();
  const tabs = page.getByRole('main').getByRole('tab');
  await expect(tabs).toContainText(['Broker Manifests', 'User Management']);
  await expect(tabs.first()).toHaveAttribute('aria-selected', 'true');
  await expect(page).toHaveTitle(/^Broker Manifests - Administration/);
  await tabs.nth(1).click();
  await expect(page).toHaveURL(/\/admin\?tab=users$/);
  await expect(page).toHaveTitle(/^User Management - Administration/);
});

test('[HDR-7] [HDR-8] [ADM-4] [ADM-7] the profile decides whether the menu has Admin; /admin sends another user home, and the web bundle contains no address', async ({
  page,
  product,
}) => {
  await openSignedIn(page, '/marketplace', 'bea@souk.test');
  const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
  await accountMenu(page).click();
  await expect(item('Sign Out')).toBeVisible();
  await expect(item('Admin')).toHaveCount(0);
  const loaded: { path: string; text: string }[] = [];
  const keep = async (answer: Response) => {
    const { pathname: path } = new URL(answer.url());
    if (/\.(js|css)$/.test(path)) loaded.push({ path, text: await answer.text() });
  };
  page.on('response', keep);
  await page.goto('/admin');
  await expect(page).toHaveURL(`${product.publicUrl}/`);
  await page.waitForLoadState('networkidle');
  page.off('response', keep);
  expect(loaded.length).toBeGreaterThan(3);
  const ofArea = ['Deploy All from Staging', 'User Management', '/admin/manifests'];
  const found = loaded.filter(({ text }) => ofArea.some((one) => text.includes(one)));
  expect(
    found.map(({ path }) => path),
    'the code of the area is not loaded',
  ).toEqual([]);

  await routeNow(page, '**/v2/user/profile', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...Object(await answer.json()), role: 'admin' } });
  });
  await page.reload();
  await accountMenu(page).click();
  await expect(item('Admin')).toBeVisible();
  const folder = join(await buildWeb(), 'assets');
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.js')))
    expect(await readFile(join(folder, name), 'utf8'), name).not.toContain('admin@');
});

/** Records calls of the area that the page makes, with what the browser was told to send along. */
async function recordCalls(page: Page) {
  await page.addInitScript(() => {
    const real = window.fetch;
    const calls: { call: string; credentials: string | undefined; type: string | null; hasBody: boolean }[] = [];
    Object.assign(window, { adminCalls: calls });
    window.fetch = (...asked) => {
      const [url, init] = asked;
      const { pathname } = new URL(String(url), window.location.origin);
      if (pathname.startsWith('/admin/')) {
        calls.push({
          call: `${init?.method ?? 'GET'} ${pathname}`,
          credentials: init?.credentials,
          type: new Headers(init?.headers).get('content-type'),
          hasBody: init?.body !== undefined,
        });
      }
      return real(...asked);
    };
  });
  return async (): Promise<{ call: string; credentials?: string; type: string | null; hasBody: boolean }[]> =>
    page.evaluate(() => Object(window).adminCalls);
}

/** Clicks twice before the page can draw in between. */
const clickTwice = async (button: Locator) => {
  // a script's click on a button that is still disabled does nothing
  await expect(button).toBeEnabled();
  await button.evaluate((element) => {
    if (!(element instanceof HTMLElement)) return;
    element.click();
    element.click();
  });
};

test("[ADM-12] calls of the area carry a bearer token, a JSON content type and the browser's credentials; a double click is one call", async ({
  page,
  product,
}) => {
  const email = 'calls-carry@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const calls = await administratorCalls(product.publicUrl);
  await calls.addUserSubscription({ params: { id }, body: { type: 'rental', mcpId: 'travel-pro' } });
  const bearers: { call: string; authorization: string | undefined }[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith('/admin/')) return;
    bearers.push({ call: `${request.method()} ${pathname}`, authorization: request.headers()['authorization'] });
  });
  const madeCalls = await recordCalls(page);
  await openSignedIn(page, '/admin', 'admin@souk.test');
  let clicked = Promise.withResolvers<void>();
  await routeNow(page, '**/admin/**', async (route) => {
    if (route.request().method() !== 'GET') await clicked.promise;
    await route.continue();
  });
  /** Clicks a button whose call is answered once it was clicked twice. */
  const press = async (button: Locator) => {
    clicked = Promise.withResolvers();
    await clickTwice(button);
    clicked.resolve();
  };
  await page.getByRole('button', { name: 'Paste JSON Text', exact: true }).click();
  await page.getByLabel('Manifest JSON').fill('{"id":"-","name":"Wrong","serviceType":"mcp"}');
  await press(page.getByRole('button', { name: 'Upload Manifest', exact: true }));
  await expect(
    page.getByRole('alert').filter({ hasText: 'Failed to upload manifest: Invalid manifest:' }),
  ).toBeVisible();
  await page.getByRole('tab', { name: /^User Management/ }).click();
  await act(page, 'Edit credits', email).click();
  await press(page.getByRole('dialog').getByRole('button', { name: 'Update credits', exact: true }));
  await expect(page.getByText(`${email} now has 0 credits.`)).toBeVisible();
  await act(page, 'View details', email).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove Travel Pro', exact: true }).click();
  const remove = page.getByRole('alertdialog');
  await press(remove.getByRole('button', { name: 'Remove rental', exact: true }));
  await expect(remove).toHaveCount(0);

  const made = await madeCalls();
  const withBody = made.filter(({ hasBody }) => hasBody);
  expect(withBody.map(({ call }) => call.replaceAll(/[0-9a-f-]{36}/g, ':id'))).toEqual([
    'POST /admin/manifests',
    'PUT /admin/users/:id/credits',
    'DELETE /admin/users/:id/subscription/:id',
  ]);
  for (const { call, type } of withBody) expect(type, call).toBe('application/json');
  expect(made.length).toBeGreaterThan(withBody.length);
  for (const { call, credentials } of made) expect(credentials, call).toBe('include');
  expect(bearers.length).toBeGreaterThanOrEqual(made.length);
  for (const { call, authorization } of bearers) expect(authorization, call).toMatch(/^Bearer ./);
  await erasePerson(product.publicUrl, id, email);
});

test("[ADM-3] [GEN-46] a visitor of /admin reads 'Access Denied', and can sign in; what is below it is the API", async ({
  page,
}) => {
  const shown = await page.goto('/admin');
  expect([shown?.status(), shown?.headers()['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  await expect(page.getByRole('alert').getByRole('heading')).toHaveText('Access Denied');
  await expect(page.getByRole('main').getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
  const answer = await page.request.get('/admin/tool-changes', { headers: { accept: 'text/html' } });
  expect([answer.status(), answer.headers()['content-type']]).toEqual([401, 'application/json; charset=utf-8']);
});

test('a notice leads to a changed tool, which is compared and approved with a reason', async ({ page }) => {
  const sent: unknown[] = [];
  let changes = [change];
  await routeNow(page, '**/admin/manifests?*', async (route) => {
    const answer = await route.fetch();
    const list = Object(await answer.json());
    // other journeys stage versions on this broker meanwhile
    Object.assign(list.counts, { staged: 0, underReview: changes.length });
    await route.fulfill({ response: answer, json: list });
  });
  await routeNow(page, '**/admin/tool-changes?*', (route) => route.fulfill({ json: { success: true, changes } }));
  await routeNow(page, '**/admin/servers/travel/tools', async (route) => {
    const answer = await route.fetch();
    const list = Object(await answer.json());
    Object.assign(list.tools[0], { underReview: changes.length > 0, pendingChange: changes[0] ?? null });
    await route.fulfill({ response: answer, json: list });
  });
  await routeNow(page, '**/admin/tool-changes/7/approve', (route) => {
    sent.push(route.request().postDataJSON());
    changes = [];
    return route.fulfill({ json: { success: true, change: { ...change, status: 'approved' } } });
  });
  await openSignedIn(page, '/admin', 'admin@souk.test');
  await expect(page.getByText('1 tool is under review, and hidden from everyone until you decide.')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Broker Manifests 1 waiting', exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'Review travel', exact: true }).click();
  await expect(page).toHaveURL(/id=travel&part=tools/);
  await expect(page.getByText('<img src=x onerror=alert(1)>').first(), 'text, not a picture').toBeVisible();
  await page.getByRole('button', { name: 'Approve distance', exact: true }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Approve distance?', exact: true });
  await dialog.getByRole('button', { name: 'Approve tool', exact: true }).click();
  await expect(dialog.getByText('Give a reason.')).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByLabel('Reason').fill('Read, and as announced');
  await dialog.getByRole('button', { name: 'Approve tool', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Under review', exact: true })).toHaveCount(0);
  expect(sent).toEqual([{ reason: 'Read, and as announced' }]);
});

test("[ERR-8] a failure of an administrator's call that is no Error is shown as 'Network error occurred'; a tab whose code cannot be fetched says so in the frame, and Retry opens it once it can", async ({
  page,
}) => {
  await openSignedIn(page, '/admin', 'admin@souk.test');
  const main = page.getByRole('main');
  const heal = await routeNow(page, /\/assets\/users-tab-.*\.js$/, (route) => route.abort());
  await page.getByRole('tab', { name: 'User Management', exact: true }).click();
  await expect(main.getByRole('heading', { name: 'Unexpected Application Error!', exact: true })).toBeVisible();
  await heal();
  await main.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByRole('table', { name: 'Users', exact: true })).toBeVisible();
  await expect(page).toHaveURL(/tab=users$/);

  await page.evaluate(() => {
    const real = window.fetch;
    window.fetch = (...call) =>
      // a browser extension may replace the browser's fetch in this way
      String(call[0]).includes('/admin/') ? Promise.reject('no network') : real(...call);
  });
  await page.getByLabel('Role').selectOption('Admin');
  await expect(main.getByRole('alert')).toContainText(/^Failed to load users\s*Network error occurred/);
});
