import type { Page } from '@playwright/test';
import { cataloguePath, changeCatalogue, failCalls, holdCalls, withServer } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { cardsOf, namesOn, titleOf } from './shop-page.ts';

const inOrder = [
  'Calendar',
  'Everything',
  'Filesystem',
  'Memory',
  'Notes',
  'Sequential Thinking',
  'Travel',
  'Travel Enterprise',
  'Travel Pro',
];

test('[GEN-11] [GEN-12] [MKT-4] [MKT-17] /marketplace and /search show all servers by name, with their counter', async ({
  page,
}) => {
  for (const path of ['/marketplace', '/search']) {
    await page.goto(path);
    await expect(titleOf(page)).toHaveText('All MCP Servers');
    await expect(page.getByText('Showing 9 of 9 servers')).toBeVisible();
    await expect(namesOn(page)).toHaveText(inOrder);
  }
});

test('[MKT-2] [MKT-3] [MKT-5] [MKT-8] the search text is the title and part of the address; reload and Back keep it', async ({
  page,
}) => {
  await page.goto('/marketplace');
  await page.getByRole('searchbox').fill('travel');
  await expect(titleOf(page)).toHaveText('Search results for "travel"');
  await expect(page).toHaveURL(/\/marketplace\?q=travel$/);
  await expect(page.getByText('Showing 3 of 9 servers')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('searchbox')).toHaveValue('travel');
  await expect(titleOf(page)).toHaveText('Search results for "travel"');
  await cardsOf(page).getByRole('link').first().click();
  await expect(page).toHaveURL(/\/service\/travel$/);
  await page.goBack();
  await expect(page.getByRole('searchbox')).toHaveValue('travel');
  await expect(namesOn(page)).toHaveText(['Travel', 'Travel Enterprise', 'Travel Pro']);
  // a text stays a text, even one that JSON would read as a number or null
  for (const text of ['2026', '1e3', 'null', '"travel"', '[1]']) {
    await page.goto(`/marketplace?q=${encodeURIComponent(text)}`);
    await expect(titleOf(page)).toHaveText(`Search results for "${text}"`);
    await expect(page.getByRole('searchbox')).toHaveValue(text);
    expect(new URL(page.url()).searchParams.get('q')).toBe(text);
  }
  await page.getByRole('button', { name: 'Clear search', exact: true }).click();
  await expect(page).toHaveURL(/\/marketplace$/);
  await expect(titleOf(page)).toHaveText('All MCP Servers');
});

test('[MKT-13] [MKT-14] [MKT-16] a search matches as specified; unknown filters are ignored', async ({ page }) => {
  await test.step('it matches name, description or id in any case', async () => {
    await page.goto('/marketplace?q=SEQUENTIAL%20think');
    await expect(namesOn(page)).toHaveText(['Sequential Thinking']);
    await page.getByRole('searchbox').fill('Great-circle');
    await expect(page.getByText('Showing 0 of 9 servers')).toBeVisible();
    await page.getByRole('searchbox').fill('AIRPORTS, distances');
    await expect(namesOn(page)).toHaveText(['Travel']);
    await page.getByRole('searchbox').fill('travel-PRO');
    await expect(namesOn(page)).toHaveText(['Travel Pro']);
  });
  await test.step('markup, digits and other scripts are plain text', async () => {
    page.on('dialog', () => expect('a dialog').toBe('never'));
    for (const text of ['<img src=x onerror=alert(1)>', 'true', 'Reise & “Büro”', '旅行']) {
      await page.goto(`/marketplace?q=${encodeURIComponent(text)}`);
      await expect(titleOf(page)).toHaveText(`Search results for "${text}"`);
      await expect(page.getByRole('searchbox')).toHaveValue(text);
    }
  });
  await test.step('a search that finds nothing says so, and offers ways to continue', async () => {
    await page.goto('/marketplace?q=zeppelin');
    await expect(page.getByRole('heading', { name: 'No servers found', exact: true })).toBeVisible();
    await expect(page.getByText('Try adjusting your search query.', { exact: true })).toBeVisible();
    await expect(page.getByText('Showing 0 of 9 servers')).toBeVisible();
    await page.getByRole('button', { name: 'Clear search and filters', exact: true }).click();
    await expect(cardsOf(page)).toHaveCount(9);
    await expect(page).toHaveURL(/\/marketplace$/);
  });
  await test.step('a filter that the page does not have is ignored', async () => {
    await page.goto('/marketplace?type=wine&tier=T9&price=cheap&status=asleep&sort=colour');
    await expect(page.getByText('Showing 9 of 9 servers')).toBeVisible();
  });
});

const filtersOf = (page: Page) => page.getByRole('group', { name: 'Filters', exact: true });

test('[MKT-18] [MKT-19] [MKT-20] [MKT-22] type, tier, price and sort order can be chosen, and are part of the address', async ({
  page,
}) => {
  await page.goto('/marketplace');
  const filters = filtersOf(page);
  const type = filters.getByLabel('Type');
  await expect(type.getByRole('option')).toHaveText(['All Types', 'API Services', 'Data Sources', 'Productivity']);
  await type.selectOption('Data Sources');
  await expect(namesOn(page)).toHaveText(['Memory', 'Travel', 'Travel Enterprise', 'Travel Pro']);
  await filters.getByLabel('Sort by').selectOption('Most tools first');
  await expect(namesOn(page)).toHaveText(['Travel Enterprise', 'Travel Pro', 'Memory', 'Travel']);
  await filters.getByLabel('Price').selectOption('Paid');
  await expect(namesOn(page)).toHaveText(['Travel Enterprise', 'Travel Pro']);
  await filters.getByLabel('Tier').selectOption('T2 Professional');
  await expect(namesOn(page)).toHaveText(['Travel Pro']);
  const { searchParams } = new URL(page.url());
  expect(Object.fromEntries(searchParams)).toEqual({ type: 'data', sort: 'tools', price: 'paid', tier: 'T2' });
  await page.reload();
  await expect(namesOn(page)).toHaveText(['Travel Pro']);
  await page.goBack();
  await expect(namesOn(page)).toHaveText(['Travel Enterprise', 'Travel Pro']);
});

test('[MKT-21] the status can be chosen and is part of the address, until the filters are cleared', async ({
  page,
}) => {
  await changeCatalogue(page, (catalogue) =>
    withServer(catalogue, 'memory', (server) => ({ ...server, status: 'error' })),
  );
  await page.goto('/marketplace');
  await filtersOf(page).getByLabel('Status').selectOption('Error');
  await expect(namesOn(page)).toHaveText(['Memory']);
  await expect(page).toHaveURL(/\?status=error$/);
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(page.getByText('Showing 9 of 9 servers')).toBeVisible();
});

test('[MKT-6] [MKT-7] [MKT-23] [MKT-25] Refresh reloads the servers, and reports a failure', async ({ page }) => {
  await test.step('it queries the broker, shows Refreshing... for a second, then loads again', async () => {
    await page.goto('/marketplace');
    await expect(cardsOf(page)).toHaveCount(9);
    const seen = Promise.withResolvers<undefined>();
    await routeNow(page, '**/mcp/refresh', async (route) => {
      await seen.promise;
      await route.continue();
    });
    const answered = page.waitForResponse('**/mcp/refresh');
    const reloaded = page.waitForResponse(cataloguePath);
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Refreshing...', exact: true })).toBeVisible();
    seen.resolve(undefined);
    const answer = await answered;
    expect([answer.request().method(), answer.ok()]).toEqual(['POST', true]);
    await reloaded;
    await expect(page.getByRole('button', { name: 'Refresh', exact: true })).toBeVisible();
    // measured by the browser's own clock: this process may learn of either late
    const waitedMs = await page.evaluate(() => {
      const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
      const last = (path: string) => entries.findLast(({ name }) => name.includes(path));
      return (last('/api/catalogue/servers')?.startTime ?? 0) - (last('/mcp/refresh')?.responseEnd ?? 0);
    });
    expect(waitedMs).toBeGreaterThanOrEqual(990);
  });
  await test.step('a failed one is reported, and the servers stay', async () => {
    await failCalls(page, '**/mcp/refresh', { message: 'The broker is busy.' });
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Failed to refresh MCP servers' });
    await expect(alert).toContainText('The broker is busy.');
    await expect(cardsOf(page)).toHaveCount(9);
  });
});

test('[MKT-13] [MKT-15] without any server the screen says that none is available', async ({ page }) => {
  await changeCatalogue(page, (catalogue) => ({ ...catalogue, servers: [], capabilities: [] }));
  await page.goto('/marketplace');
  await expect(page.getByRole('heading', { name: 'No servers found', exact: true })).toBeVisible();
  await expect(page.getByText('No MCP servers are currently available.', { exact: true })).toBeVisible();
  await expect(page.getByText('Showing 0 of 0 servers')).toBeVisible();
});

test('[MKT-24] the screen shows that servers are loading, and when that fails', async ({ page }) => {
  await test.step('the title is shown, and placeholders reserve the space', async () => {
    const release = await holdCalls(page, cataloguePath);
    await page.goto('/marketplace');
    await expect(titleOf(page)).toHaveText('All MCP Servers');
    await expect(page.getByRole('status').filter({ hasText: 'Loading servers…' })).toBeVisible();
    release();
    await expect(cardsOf(page)).toHaveCount(9);
    await page.unroute(cataloguePath);
  });
  await test.step('a failed load is reported with the reason, and Retry loads the servers', async () => {
    const heal = await failCalls(page, cataloguePath, { message: 'The stall is closed.' });
    await page.goto('/marketplace');
    const alert = page.getByRole('alert').filter({ hasText: 'Failed to load MCP servers' });
    await expect(alert).toContainText('The stall is closed.');
    await heal();
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await expect(cardsOf(page)).toHaveCount(9);
    await expect(alert).toHaveCount(0);
  });
  await test.step('without a network it says Network error occurred', async () => {
    await routeNow(page, cataloguePath, (route) => route.abort());
    await page.goto('/marketplace');
    await expect(page.getByRole('alert').filter({ hasText: 'Network error occurred' })).toBeVisible();
  });
});

test('a list of many servers has pages, which are part of the address and start at their top', async ({ page }) => {
  await pagesOf(page, 4);
  await page.goto('/marketplace');
  await expect(cardsOf(page)).toHaveCount(4);
  await expect(page.getByText('Showing 9 of 9 servers')).toBeVisible();
  await expect(page.getByText('Page 1 of 3')).toBeVisible();
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await expect(page).toHaveURL(/\?page=2$/);
  await expect(namesOn(page)).toHaveText(inOrder.slice(4, 8));
  await expect(page.getByRole('heading', { name: 'Servers', exact: true })).toBeFocused();
  await page.reload();
  await expect(page.getByText('Page 2 of 3')).toBeVisible();
  await page.getByRole('searchbox').fill('e');
  await expect(page, 'another search starts at its first page').toHaveURL(/\?q=e$/);
  await page.goto('/marketplace?page=77');
  await expect(namesOn(page), 'beyond the last page').toHaveText(inOrder.slice(8));
});

/** Lets the broker return pages of `size` servers where the screen requests more than the product has. */
async function pagesOf(page: Page, size: number): Promise<void> {
  await routeNow(page, cataloguePath, async (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('pageSize', String(size));
    await route.continue({ url: url.href });
  });
}

test('a slow response to an older search never replaces a newer one', async ({ page }) => {
  await page.goto('/marketplace');
  await expect(cardsOf(page)).toHaveCount(9);
  const old = Promise.withResolvers<undefined>();
  const given = Promise.withResolvers<undefined>();
  await routeNow(page, cataloguePath, async (route) => {
    if (new URL(route.request().url()).searchParams.get('q') === 'notes') {
      await old.promise;
      await route.continue().catch(() => undefined);
      return given.resolve(undefined);
    }
    return route.continue();
  });
  const abandoned = page.waitForEvent('requestfailed', (request) => request.url().includes('q=notes'));
  await page.getByRole('searchbox').fill('notes');
  await expect(titleOf(page)).toHaveText('Search results for "notes"');
  await page.getByRole('searchbox').fill('memory');
  await expect(namesOn(page)).toHaveText(['Memory']);
  expect((await abandoned).failure()?.errorText, 'the older call is aborted').toContain('ERR_ABORTED');
  old.resolve(undefined);
  await given.promise;
  await expect(namesOn(page)).toHaveText(['Memory']);
  await expect(page.getByText('Showing 1 of 9 servers')).toBeVisible();
});

test('on a phone the filters are behind one button, which counts them', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/marketplace?tier=T0');
  await expect(page.getByLabel('Tier')).toBeHidden();
  const button = page.getByRole('button', { name: 'Filter (1)', exact: true });
  await button.click();
  const sheet = page.getByRole('dialog', { name: 'Filter and sort', exact: true });
  await sheet.getByLabel('Type').selectOption('Productivity');
  await expect(page).toHaveURL(/type=productivity/);
  await sheet.getByRole('button', { name: 'Show services', exact: true }).click();
  await expect(sheet).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Filter (2)', exact: true })).toBeFocused();
});
