import type { Page } from '@playwright/test';
import { openScreen } from './open-screen.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';

/**
 * Blocks the scripts of the page.
 * @returns a function that lets them load again
 */
const scripts = (page: Page) => routeNow(page, /\/assets\/.*\.js$/, (route) => route.abort());

test('the public screens are readable before the scripts have loaded, with the title and heading that they keep', async ({
  page,
}) => {
  for (const [path, heading] of [
    ['/', 'One-click AI upgrade'],
    ['/marketplace', 'All MCP Servers'],
    ['/plans', 'Choose Your Plan'],
    ['/about', 'Instant MCP Tools for Everyone'],
    ['/contact', 'Contact'],
    ['/service/travel', 'Travel'],
  ] as const) {
    const html = await (await page.request.get(path)).text();
    const sent = /<title>([^<]*)<\/title>/.exec(html)?.[1];
    await openScreen(page, path);
    await expect(page).toHaveTitle(sent ?? 'no title');
    await expect(page.getByRole('heading', { level: 1, name: heading, exact: true })).toBeVisible();
    const load = await scripts(page);
    await page.goto(path);
    await expect(
      page.locator('[data-shell]').getByRole('heading', { level: 1, name: heading, exact: true }),
    ).toBeVisible();
    await expect(page).toHaveTitle(sent ?? 'no title');
    await load();
  }
});

test('without scripts, the links of the first HTML work, and the chosen theme applies', async ({ page }) => {
  await page.goto('/about');
  await page.evaluate(() => localStorage.setItem('souk.theme', 'dark'));
  await scripts(page);
  await page.goto('/');
  expect(await page.locator('html').getAttribute('class')).toBe('dark');
  await page.getByRole('link', { name: 'Browse Servers', exact: true }).click();
  await page.getByRole('link', { name: 'Travel', exact: true }).click();
  await expect(page).toHaveURL(/\/service\/travel$/);
  await expect(page.getByText('find_airports')).toBeVisible();
});
