import type { Locator, Page } from '@playwright/test';
import { axeFindings } from './axe-findings.ts';
import { failCalls, holdCalls } from './catalogue-answer.ts';
import { openScreen } from './open-screen.ts';
import { expect, test } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';

const label = 'Search services, tools and screens';
const palette = (page: Page): Locator => page.getByRole('dialog', { name: label, exact: true });
const field = (page: Page): Locator => palette(page).getByRole('combobox', { name: label, exact: true });
const options = (page: Page): Locator => palette(page).getByRole('option');
const highlighted = (page: Page): Locator => palette(page).locator('[role=option][data-highlighted]');

test('Control+k or Meta+k opens the palette with services, tools and screens; Escape closes it and returns the focus', async ({
  page,
}) => {
  await openScreen(page, '/marketplace');
  const type = page.getByRole('group', { name: 'Filters', exact: true }).getByLabel('Type');
  for (const keys of ['Control+k', 'Meta+k']) {
    await type.focus();
    await page.keyboard.press(keys);
    await expect(field(page), keys).toBeFocused();
    await expect(palette(page).getByRole('group', { name: 'Screens', exact: true })).toContainText('Marketplace');
    await expect(
      palette(page).getByRole('group', { name: 'Services', exact: true }).getByRole('option').first(),
    ).toContainText('Calendar');
    await page.keyboard.press('Escape');
    await expect(palette(page)).toHaveCount(0);
    await expect(type).toBeFocused();
  }
});

test('with only the keyboard a user finds and opens a server, a tool, a screen and all results', async ({ page }) => {
  const heading = page.getByRole('heading', { level: 1 });
  const open = async (text: string) => {
    await page.keyboard.press('Control+k');
    await expect(field(page)).toBeFocused();
    await page.keyboard.type(text);
  };
  const start = await holdCalls(page, '**/assets/*.js');
  await page.goto('/', { waitUntil: 'commit' });
  await expect(page.locator('[data-shell] h1'), 'before the web app has loaded').toBeVisible();
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
  await expect(highlighted(page), 'if no server has that name, tools come first').toContainText('Find airports');
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

test('the palette finds the tabs of the dashboard and of the administrator, and copies, buys, changes the theme and signs out', async ({
  page,
  context,
  product,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const heading = page.getByRole('heading', { level: 1 });
  const choose = async (text: string, first: RegExp) => {
    await page.keyboard.press('Control+k');
    await expect(field(page)).toBeFocused();
    await page.keyboard.type(text);
    await expect(highlighted(page)).toHaveText(first);
    await page.keyboard.press('Enter');
    await expect(palette(page)).toHaveCount(0);
  };
  const named = (name: string) => palette(page).getByRole('group', { name, exact: true });
  await openSignedIn(page, '/marketplace', 'admin@souk.test');
  for (const [text, first, address] of [
    ['usage', /^UsageDashboard$/, '/dashboard?tab=usage'],
    ['tokens', /^Access tokensDashboard, Connections$/, '/dashboard?tab=connections&part=tokens'],
    ['audit', /^Audit LogAdmin$/, '/admin?tab=audit'],
    ['buy cred', /^Buy credits$/, '/plans#packages'],
    ['cancel', /^Cancel a plan or rental/, '/dashboard?tab=billing#subscriptions-heading'],
    ['upgrade', /^Plans$/, '/plans'],
    ['refund', /^Refunds$/, '/refunds'],
    ['invoice', /^Invoices and receipts/, '/dashboard?tab=billing#history-heading'],
    ['receipt', /^Invoices and receipts/, '/dashboard?tab=billing#history-heading'],
    ['delete account', /^Delete your account/, '/dashboard?tab=profile#delete-heading'],
  ] as const) {
    await choose(text, first);
    await expect(page).toHaveURL(product.publicUrl + address);
    const [, section] = /^\/dashboard.*#(.+)$/.exec(address) ?? [];
    const reached = section === undefined ? heading : page.locator(`#${section}`);
    await expect(reached).toBeFocused();
    await expect(reached).toBeInViewport();
  }

  const start = page.getByRole('banner').getByRole('link', { name: 'About', exact: true });
  // a user who has moved on keeps the focus
  await page.keyboard.press('Shift');
  await start.focus();
  await choose('dark theme', /^Use the dark theme$/);
  await expect(page.locator('html')).toHaveClass(/\bdark\b/);
  await expect(start, 'the focus returns').toBeFocused();
  await choose('theme system', /^Use your system's theme$/);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('theme');
  await expect(named('Actions').getByRole('option')).toHaveText([
    'Use the light theme',
    'Use the dark theme',
    "Use your system's themeIn use",
  ]);
  await page.keyboard.press('Escape');
  await choose('link copy', /^Copy your link/);
  await expect(page.getByRole('status').filter({ hasText: 'Your link is copied.' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${product.publicUrl}/mcp`);
  await expect(start).toBeFocused();
  await choose('sign out', /^Sign Out$/);
  await expect(page).toHaveURL(`${product.publicUrl}/`);
  await expect(page.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();

  await page.keyboard.press('Control+k');
  await expect(named('Screens').getByRole('option')).toHaveText(['Home', 'Marketplace', 'About', 'Plans', 'Contact']);
  await expect(named('Actions').getByRole('option').last()).toHaveText('Sign In');
  await page.keyboard.type('audit');
  await expect(palette(page).getByText('Nothing matches “audit”.'), 'no tab that a visitor cannot open').toBeVisible();
});

test('text that is typed while the palette opens ends up in its field', async ({ page, product }) => {
  await openSignedIn(page, '/marketplace', 'ann@souk.test');
  const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>();
  await page.route(/\/assets\/palette-/, async (route) => {
    await arrives;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('usagr');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('e');
  await page.keyboard.press('Enter');
  await expect(palette(page)).toHaveCount(0);
  await expect(page).toHaveURL(`${product.publicUrl}/marketplace`);
  arrive();
  await expect(field(page)).toBeFocused();
  await expect(field(page)).toHaveValue('usage');
  await expect(highlighted(page)).toHaveText(/^UsageDashboard$/);
  await page.keyboard.type('x');
  await expect(field(page)).toHaveValue('usagex');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await expect(field(page)).toHaveValue('');
});

test('/ opens the palette on a screen without its own search field, and is a letter in a text field', async ({
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

test('the button of the header opens it; no results and a failed load are reported; axe finds nothing', async ({
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
