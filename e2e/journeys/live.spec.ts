import type { Locator, Page } from '@playwright/test';
import { cataloguePath, changeCatalogue, withServer } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';

const cardsOf = (page: Page): Locator => page.getByRole('main').getByRole('article');
const cardOf = (page: Page, name: string): Locator =>
  cardsOf(page).filter({ has: page.getByRole('heading', { name, exact: true }) });
const titleOf = (page: Page): Locator => page.getByRole('heading', { level: 1 });

test('[MKT-1] [LIVE-1] [LIVE-2] [LIVE-3] the Live switch opens ?view=live with its title and subtitle, and returns', async ({
  page,
}) => {
  await page.goto('/marketplace?tier=T0');
  await expect(titleOf(page)).toHaveText('All MCP Servers');
  const live = page.getByRole('switch', { name: 'Live', exact: true });
  await expect(live).not.toBeChecked();
  await live.click();
  await expect(page).toHaveURL((url) => url.pathname === '/marketplace' && url.searchParams.get('view') === 'live');
  await expect(titleOf(page)).toHaveText('Live MCP Servers');
  await expect(page.getByText('Currently running MCP servers with real-time status', { exact: true })).toBeVisible();
  await expect(live).toBeChecked();
  await expect(live).toBeFocused();
  await live.click();
  await expect(page).toHaveURL((url) => !url.searchParams.has('view'));
  await expect(titleOf(page)).toHaveText('All MCP Servers');
  await page.goto('/search?view=live');
  await expect(titleOf(page)).toHaveText('Live MCP Servers');
});

test('[LIVE-4] [LIVE-5] [LIVE-6] [LIVE-11] its search filters the cards and may find nothing, the counter counts them, and Refresh queries the broker', async ({
  page,
}) => {
  await page.goto('/marketplace?view=live');
  await expect(page.getByText('Showing 9 of 9 servers', { exact: true })).toBeVisible();
  await expect(cardsOf(page)).toHaveCount(9);
  await page.getByRole('searchbox').fill('travel');
  await expect(cardsOf(page)).toHaveCount(3);
  await expect(page.getByText('Showing 3 of 9 servers', { exact: true })).toBeVisible();
  await expect(page).toHaveURL((url) => url.searchParams.get('view') === 'live');

  await page.goto('/marketplace?view=live&q=zeppelin');
  await expect(page.getByRole('heading', { name: 'No MCP Servers Found', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Clear search', exact: true }).last().click();
  await expect(cardsOf(page)).toHaveCount(9);
  await expect(page).toHaveURL((url) => url.searchParams.get('view') === 'live');

  await expect(cardsOf(page)).toHaveCount(9);
  const answered = page.waitForResponse('**/mcp/refresh');
  await page.getByRole('button', { name: 'Refresh', exact: true }).click();
  expect((await answered).request().method()).toBe('POST');
  await expect(page.getByRole('button', { name: 'Refreshing...', exact: true })).toBeVisible();
  await page.waitForResponse(cataloguePath);
  await expect(page.getByRole('button', { name: 'Refresh', exact: true })).toBeVisible();
  const waitedMs = await page.evaluate(() => {
    const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const refreshed = entries.findLast(({ name }) => name.includes('/mcp/refresh'))?.responseEnd ?? 0;
    const next = entries.find(
      ({ name, startTime }) => name.includes('/api/catalogue/servers') && startTime > refreshed,
    );
    return (next?.startTime ?? 0) - refreshed;
  });
  expect(waitedMs).toBeGreaterThanOrEqual(990);
});

test('[LIVE-7] [LIVE-8] [LIVE-9] [LIVE-10] a card shows icon or initial, status, tool count, the last update, and View Details', async ({
  page,
}) => {
  const lastUpdate = new Date(Date.now() - 3 * 3_600_000).toISOString();
  await changeCatalogue(page, (catalogue) => {
    const older = withServer(catalogue, 'memory', (server) => ({ ...server, lastUpdate }));
    return withServer(older, 'notes', (server) => ({
      ...server,
      status: 'error',
      metadata: { ...server.metadata, icon: undefined },
    }));
  });
  await page.goto('/marketplace?view=live');
  await expect(cardOf(page, 'Memory').locator('img')).toHaveAttribute('src', '/icons/bundled/memory.svg');
  await expect(cardOf(page, 'Memory').getByText('connected', { exact: true })).toBeVisible();
  await expect(cardOf(page, 'Memory')).toContainText('9 tools');
  await expect(cardOf(page, 'Memory')).toContainText('Updated: 3 hours ago');
  await expect(cardOf(page, 'Memory').locator('time')).toHaveAttribute('datetime', lastUpdate);
  await expect(cardOf(page, 'Notes').locator('img')).toHaveCount(0);
  await expect(cardOf(page, 'Notes').getByText('N', { exact: true })).toBeVisible();
  await expect(cardOf(page, 'Notes').getByText('error', { exact: true })).toBeVisible();
  await cardOf(page, 'Memory')
    .getByRole('link', { name: /^View Details/ })
    .click();
  await expect(page).toHaveURL(/\/service\/memory$/);
});
