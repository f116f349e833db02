import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { callThroughLink } from './call-through-link.ts';
import { changeOwned, changeProfile, subscriptionPath } from './offers-answer.ts';
import { payAndReturn, subscribeTo } from './pay-with-card.ts';
import { expect, test } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';

const summary = (page: Page) => page.getByRole('region', { name: 'Tier and credits', exact: true });
const balance = (page: Page) => summary(page).getByRole('link');
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const openTab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();
const day = '[A-Z][a-z]{2} \\d{1,2}, \\d{4}';

test('a user with a plan, a rental, credits, calls and a token sees them in the tabs of the dashboard', async ({
  page,
  product,
}) => {
  await openSignedIn(page, '/plans', 'has-it-all@souk.test');
  await subscribeTo(page, 'Basic');
  await payAndReturn(page);
  await page.goto('/service/travel-pro?purchase=rental');
  await page.getByRole('button', { name: 'Continue to payment', exact: true }).click();
  await payAndReturn(page);
  const route = { from: 'ZRH', to: 'LHR' };
  expect(await callThroughLink(page, product.publicUrl, 'travel__distance', route)).toContain('km');
  expect(await callThroughLink(page, product.publicUrl, 'travelpro__distance', route)).toContain('km');
  const nowhere = { from: 'ZRH', to: 'QQQ' };
  expect(await callThroughLink(page, product.publicUrl, 'travel__distance', nowhere)).toContain('No airport');
  await test.step('[GEN-6] [DASH-1] services, usage and tokens in the tabs of the dashboard', async () => {
    await page.goto('/dashboard?tab=usage');
    await expect(page.getByRole('tablist', { name: 'Dashboard', exact: true }).getByRole('tab')).toHaveText([
      'Profile',
      'My Services',
      'Billing',
      'Usage',
      'Connections',
    ]);
    const usage = part(page, 'Credit Usage');
    await expect(async () => {
      await usage.getByRole('button', { name: 'Refresh', exact: true }).click();
      await expect(usage).toContainText('Tool calls3', { timeout: 5_000 });
    }).toPass();
    await expect(usage).toContainText('Credits used1');
    await expect(usage).toContainText('Average cost0.33');
    await expect(part(page, 'Calls and credits by service').getByRole('row')).toHaveText([
      /^Service/,
      'Travel20.51',
      'Travel Pro10.00',
    ]);
    await expect(page.getByRole('list', { name: 'Recent activity', exact: true }).getByRole('listitem')).toHaveText([
      /^Distance between airportsTravel · .*failed, not charged$/,
      /^Distance between airportsTravel Pro · .*free$/,
      /^Distance between airportsTravel · .*1 credit$/,
    ]);
    await openTab(page, 'My Services');
    await expect(page.getByRole('heading', { name: 'My MCP Services', exact: true })).toBeVisible();
    await expect(page.getByRole('article', { name: 'Travel Pro', exact: true })).toContainText(
      new RegExp(`Rented - activerenews ${day} for \\$9`),
    );
    await openTab(page, 'Connections');
    await openTab(page, 'Access tokens');
    await expect(page.getByRole('row', { name: /^journey/ }).first()).toContainText('Tools');
  });
  await test.step('[DASH-3] [DASH-4] the tier and the balance in the header of the dashboard', async () => {
    await page.goto('/dashboard');
    await expect(summary(page)).toContainText('T1Basic');
    await expect(summary(page)).toContainText('+1 more tier: Free');
    await expect(summary(page)).toContainText('Services of the Basic tier, and every free one.');
    await expect(balance(page)).toHaveText('199');
  });
  await test.step('[BILL-1] [BILL-2] [BILL-3] credits, tiers and subscriptions in Billing', async () => {
    await page.goto('/dashboard?tab=billing');
    await expect(part(page, 'Credits')).toContainText('199Available for pay-per-use services');
    await expect(part(page, 'Your Access Tiers').getByRole('listitem')).toHaveText([/^T0Free/, /^T1Basic/]);
    await expect(part(page, 'Active System Subscriptions')).toContainText(
      new RegExp(`Basicactive.*Subscription · next billing date ${day}.*Cancel`),
    );
    await expect(part(page, 'Subscription Summary')).toContainText('Subscriptions1Purchases0Rentals1Trials0');
  });
  await test.step('[BILL-8] [BILL-10] payments in Billing', async () => {
    await expect(part(page, 'Billing History')).toContainText('Total spent$14Transactions2Recent2');
    const table = page.getByRole('table', { name: 'Recent transactions', exact: true });
    await expect(table.getByRole('row')).toHaveText([
      /^Transaction/,
      new RegExp(`Travel Pro.*Rental · travel-pro.*completed${day}.*-\\$9$`),
      new RegExp(`Basic.*Subscription.*completed${day}.*-\\$5$`),
    ]);
  });
});

type Shown = { available: number; activeTiers: ('T0' | 'T1' | 'T2' | 'T3')[] };
/** Changes the tiers and credits that the page sees. */
const changeHeader = (page: Page, shown: Shown) =>
  changeOwned(page, (answer) => ({
    ...answer,
    activeTiers: shown.activeTiers,
    credits: {
      ...answer.credits,
      available: shown.available,
      parts: [{ source: 'promotional', credits: 14, expiresAt: null, isWelcome: true }],
    },
  }));
const all: Shown = { available: 12_345, activeTiers: ['T0', 'T1', 'T2', 'T3'] };

test('the header shortens long figures, each tier has its color, and a missing provider its word', async ({ page }) => {
  await test.step('[NUM-6] [DASH-5] it shortens the balance, and names the highest of several tiers', async () => {
    await changeHeader(page, all);
    await openSignedIn(page, '/dashboard', 'is-shortened@souk.test');
    await expect(summary(page)).toContainText('T3Enterprise+3 more tiers: Free, Basic, ProfessionalEvery service.');
    await expect(balance(page)).toHaveText('12.3K');
    await expect(summary(page), 'no exact figure next to a shortened one').toContainText(
      'Every service. Your credits include welcome credits.12.3K',
    );
    await balance(page).hover();
    await expect(page.getByRole('tooltip').filter({ hasText: '12,345 credits' })).toBeVisible();
    await expectNoAxeFindings(page);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
  });
  await test.step('[DASH-12] [DASH-13] [DASH-14] each tier has its name, description and color in both themes', async () => {
    await balance(page).click();
    const cards = part(page, 'Your Access Tiers').getByRole('listitem');
    await expect(cards).toHaveText([
      'T0FreeEvery free service.',
      'T1BasicServices of the Basic tier, and every free one.',
      'T2ProfessionalServices of the Professional tier and below.',
      'T3EnterpriseEvery service.',
    ]);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await Promise.all([0, 1, 2, 3].map(async (index) => hueOf(cards.nth(index)))), colorScheme).toEqual([
        'green',
        'blue',
        'purple',
        'orange',
      ]);
    }
  });
  await test.step("[DASH-7] a missing provider is shown as 'Unknown'", async () => {
    await changeProfile(page, { provider: '' });
    await page.goto('/dashboard?tab=profile');
    await expect(part(page, 'Profile').locator('dt:text-is("Provider") + dd')).toHaveText('Unknown');
  });
});

test('[DASH-9] [DASH-10] [DASH-11] the header is read when the dashboard opens, on focus, and when another tab reports a change', async ({
  page,
  context,
}) => {
  const shown: Shown = { ...all };
  await changeHeader(page, shown);
  // no second request is made while one is running: each ends before the next event
  const read = async () => (await page.waitForResponse(subscriptionPath)).finished();
  const forPlans = read();
  await openSignedIn(page, '/plans', 'follows@souk.test');
  await forPlans;
  // read a moment ago for the plans, and again because the dashboard opens
  const onMount = read();
  await page.getByRole('banner').getByRole('link', { name: 'Dashboard', exact: true }).click();
  await onMount;
  await expect(balance(page)).toHaveText('12.3K');
  shown.available = 7;
  const onFocus = read();
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await onFocus;
  await expect(balance(page)).toHaveText('7');
  shown.activeTiers = ['T0'];
  const other = await context.newPage();
  await other.goto('/about');
  const onBroadcast = read();
  await other.evaluate(() => localStorage.setItem('souk.subscription-updated', String(Date.now())));
  await onBroadcast;
  await expect(summary(page)).toContainText('T0FreeEvery free service.');
  await expect(summary(page)).not.toContainText('more tier');
});

/** Returns the color of a tier's badge, by the hue of its text. */
async function hueOf(card: ReturnType<Page['locator']>): Promise<string> {
  const [red = 0, green = 0, blue = 0] = await card
    .locator('span')
    .first()
    .evaluate((badge) => (getComputedStyle(badge).color.match(/[\d.]+/g) ?? []).map(Number));
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  const sixth =
    most === red
      ? ((green - blue) / range + 6) % 6
      : most === green
        ? (blue - red) / range + 2
        : (red - green) / range + 4;
  const degrees = sixth * 60;
  const names = { orange: [20, 45], green: [100, 150], blue: [205, 230], purple: [260, 285] } as const;
  const found = Object.entries(names).find(([, [from, to]]) => degrees >= from && degrees <= to);
  return found?.[0] ?? `${Math.round(degrees)}°`;
}
