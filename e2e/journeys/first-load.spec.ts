import type { Page } from '@playwright/test';
import { expect, test } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';

const kib = 1024;
/** Bytes that a first visit transfers, headers included. */
const budgets: Record<string, number> = {
  Script: 170 * kib,
  Stylesheet: 10 * kib,
  Document: 4 * kib,
  Fetch: 30 * kib,
  // one for text, one for code; the font format is compressed already
  Font: 64 * kib,
};

for (const path of ['/', '/marketplace', '/service/travel']) {
  test(`the first load of ${path} is compressed, within its budget, and its content comes before its program`, async ({
    page,
  }) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    const types = new Map<string, string>();
    const bytes: Record<string, number> = {};
    const priorities: string[] = [];
    session.on('Network.requestWillBeSent', ({ type, request }) => {
      if (request.url.includes('/assets/') && type === 'Script') priorities.push(request.initialPriority);
    });
    session.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const type = types.get(requestId) ?? 'Other';
      bytes[type] = (bytes[type] ?? 0) + encodedDataLength;
    });
    await page.goto(path, { waitUntil: 'networkidle' });
    // a font is requested once a text that needs it is laid out
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    // the browser may report the last bytes after the page has them
    await expect.poll(() => Object.keys(bytes)).toEqual(expect.arrayContaining(Object.keys(budgets)));
    await page.waitForLoadState('networkidle');
    for (const [type, budget] of Object.entries(budgets)) {
      expect(bytes[type], `${type} of ${path}`).toBeLessThan(budget);
    }
    expect(priorities[0], 'priority of the first script').toBe('Low');
  });
}

test('the shop loads no byte of the administrator area, even for signed-in users', async ({ page }) => {
  const scripts = watchScripts(page);
  await openSignedIn(page, '/', 'admin@souk.test');
  await page.waitForLoadState('networkidle');
  const ofShop = await readAll(page, scripts);
  const ofArea = ['Deploy All from Staging', 'User Management', '/admin/manifests', '/admin/users', 'codemirror'];
  expect(ofShop.length).toBeGreaterThan(100 * kib);
  for (const text of ofArea) expect(ofShop, text).not.toContain(text);
  await page.goto('/admin');
  await expect(page.getByRole('row', { name: /^Travel 1/ })).toBeVisible();
  const withArea = await readAll(page, scripts);
  expect(withArea, 'the texts are there').toContain('Deploy All from Staging');
  expect(withArea, 'the editor loads with its page').not.toContain('codemirror');
});

test('[NUM-7] the product serves a production build: no development scripts, no page of the kit', async ({ page }) => {
  const scripts = watchScripts(page);
  await page.goto('/__kit', { waitUntil: 'networkidle' });
  await expect(page.getByRole('heading', { level: 1, name: 'Page not found', exact: true })).toBeVisible();
  const program = await readAll(page, scripts);
  expect(program.length).toBeGreaterThan(100 * kib);
  expect(program).not.toMatch(/React DevTools|\.development\.js|@vite\/client/);
});

/** Collects the addresses of the scripts that `page` loads from now on. */
function watchScripts(page: Page): Set<string> {
  const addresses = new Set<string>();
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') addresses.add(response.url());
  });
  return addresses;
}

/**
 * Returns the text of these scripts, requested again: the browser drops a page's responses when it opens another page.
 */
async function readAll(page: Page, addresses: Set<string>): Promise<string> {
  const texts = [...addresses].map(async (address) => await (await page.request.get(address)).text());
  return (await Promise.all(texts)).join('');
}
