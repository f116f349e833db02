import type { Locator, Page } from '@playwright/test';
import { axeFindings } from './axe-findings.ts';
import { failCalls, holdCalls } from './catalogue-answer.ts';
import { openScreen } from './open-screen.ts';
import { expect, test } from './product-test.ts';

const label = 'Search servers, tools and screens';
const palette = (page: Page): Locator => page.getByRole('dialog', { name: label, exact: true });
const field = (page: Page): Locator => palette(page).getByRole('combobox', { name: label, exact: true });
const options = (page: Page): Locator => palette(page).getByRole('option');
const highlighted = (page: Page): Locator => palette(page).locator('[role=option][data-highlighted]');

for (const keys of ['Control+k', 'Meta+k']) {
  test(`${keys} opens the palette over servers, tools and screens; Escape closes it and gives the focus back`, async ({
    page,
  }) => {
    await openScreen(page, '/marketplace');
    const type = page.getByRole('group', { name: 'Filters', exact: true }).getByLabel('Type');
    await type.focus();
    await page.keyboard.press(keys);
    await expect(field(page)).toBeFocused();
    await expect(palette(page).getByRole('group', { name: 'Screens', exact: true })).toContainText('Marketplace');
    await expect(
      palette(page).getByRole('group', { name: 'Servers', exact: true }).getByRole('option').first(),
    ).toContainText('Calendar');
    await page.keyboard.press('Escape');
    await expect(palette(page)).toHaveCount(0);
    await expect(type).toBeFocused();
  });
}

test('by keyboard alone a server, a tool, a screen and all results are found and opened', async ({ page }) => {
  const heading = page.getByRole('heading', { level: 1 });
  const open = async (text: string) => {
    await page.keyboard.press('Control+k');
    await expect(field(page)).toBeFocused();
    await page.keyboard.type(text);
  };
  const start = await holdCalls(page, '**/assets/*.js');
  await page.goto('/', { waitUntil: 'commit' });
  await expect(page.locator('[data-shell] h1'), 'before the program is there').toBeVisible();
  await page.keyboard.press('Control+k');
  start();
  await expect(field(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(palette(page)).toHaveCount(0);
  await open('notes');
  await expect(highlighted(page)).toContainText('Notes');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/service\/notes$/);
  await expect(palette(page)).toHaveCount(0);
  await expect(heading).toHaveText('Notes');
  await expect(heading).toBeFocused();

  await open('find_airports');
  const tools = palette(page).getByRole('group', { name: 'Tools', exact: true }).getByRole('option');
  await expect(tools.first()).toContainText(/^Find airports.*Travel.*Free to use$/);
  await expect(highlighted(page), 'where no server is called so, tools come first').toContainText('Find airports');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/service\/travel/);
  await expect(heading).toBeFocused();

  await open('marketpl');
  await expect(options(page)).toHaveText(['Marketplace']);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/marketplace$/);

  await open('travel');
  await expect(options(page).filter({ hasText: 'See all results' })).toBeVisible();
  for (let press = 0; press < 12; press++) {
    if ((await highlighted(page).textContent()) === 'See all results') break;
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/marketplace\?q=travel$/);
  await expect(page.getByText('Showing 3 of 9 servers')).toBeVisible();
});

test('/ opens the palette where a screen has no search field of its own, and is a letter where a person types', async ({
  page,
}) => {
  await openScreen(page, '/service/travel');
  await page.keyboard.press('/');
  await expect(field(page)).toBeFocused();
  await expect(field(page)).toHaveValue('');
  await page.keyboard.press('/');
  await expect(field(page)).toHaveValue('/');
  await page.keyboard.press('Escape');
  await openScreen(page, '/marketplace');
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await expect(palette(page)).toHaveCount(0);
});

test('the button of the header opens it; nothing found and a failed load say so; axe finds nothing', async ({
  page,
}) => {
  await openScreen(page, '/');
  const button = page.getByRole('banner').getByRole('button', { name: label, exact: true });
  await button.click();
  await expect(options(page).first()).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await field(page).fill('zeppelin');
  await expect(palette(page).getByText('Nothing matches “zeppelin”.')).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await failCalls(page, '**/api/catalogue/suggestions**', { message: 'The stall is closed.' });
  await field(page).fill('zeppelins');
  await expect(palette(page).getByText('Failed to load MCP servers. The stall is closed.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(button).toBeFocused();
  await page.setViewportSize({ width: 390, height: 844 });
  await button.click();
  await expect(field(page)).toBeInViewport();
});
