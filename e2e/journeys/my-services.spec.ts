import { listMcpServices, type McpService } from '@souk/contract/billing/billing.ts';
import type { Locator, Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { failCalls, holdCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { cardOf, cardsOf, namesOn } from './shop-page.ts';
import { openSignedIn } from './sign-in.ts';

const listPath = '**/mcp-services';
const screen = (page: Page) => page.getByRole('region', { name: 'My MCP Services', exact: true });
const refresh = (page: Page) => screen(page).getByRole('button', { name: 'Refresh', exact: true });

async function openServices(page: Page, email: string): Promise<void> {
  await openSignedIn(page, '/dashboard?tab=services', email);
}

/** Changes the services that the page receives for the user. */
const changeServices = (page: Page, change: (services: McpService[]) => McpService[]) =>
  routeNow(page, listPath, async (route) => {
    const response = await route.fetch();
    const answer = listMcpServices.answer.parse(await response.json());
    await route.fulfill({ response, json: { ...answer, services: change(answer.services) } });
  });

const lineOf = (page: Page) => screen(page).getByText(/^\d+ of \d+ services active$/);
const shown = async (page: Page) => {
  await expect(cardsOf(page).first()).toBeVisible();
  return { all: await cardsOf(page).count(), active: Number((await lineOf(page).innerText()).split(' ')[0]) };
};

test('[MINE-1] [MINE-3] [MINE-33] my services load, and are counted', async ({ page }) => {
  const release = await holdCalls(page, listPath);
  await openServices(page, 'counts-cards@souk.test');
  await expect(screen(page).getByRole('status').filter({ hasText: 'Loading your services...' })).toBeVisible();
  release();
  await expect(page.getByRole('heading', { name: 'My MCP Services', level: 2, exact: true })).toBeVisible();
  const { all, active } = await shown(page);
  await expect(lineOf(page)).toHaveText(`${active} of ${all} services active`);
  // Notes is on too, but has nothing to call before the user has signed in there
  await expect(screen(page)).toContainText(
    `Active${active}Free${active + 1}Paid01 service is switched on, but not active until you connect your account there.`,
  );
  const notes = cardOf(page, 'Notes');
  await expect(notes.getByRole('switch')).toBeChecked();
  await expect(notes).toContainText("Your assistants can't use it yet. Sign in to Notes");
  await expect(notes.getByRole('link', { name: 'Sign in to Notes', exact: true })).toHaveAttribute(
    'href',
    '/connect/notes',
  );
  await expect(cardOf(page, 'Travel')).not.toContainText("can't use it yet");
  await page.goto('/marketplace?q=notes');
  await expect(cardOf(page, 'Notes')).toContainText('Needs your account');
});

test('each card has a switch, which stays visible when it is off and is reset when it fails, and a button for the details', async ({
  page,
}) => {
  await openServices(page, 'switches-cards@souk.test');
  await test.step('[MINE-26] each card has a switch, which is reset when it fails', async () => {
    const { all, active } = await shown(page);
    const line = lineOf(page);
    const travel = cardOf(page, 'Travel');
    const enable = travel.getByRole('switch', { name: 'Enable Travel', exact: true });
    await expect(enable).toBeChecked();
    await enable.click();
    await expect(line).toHaveText(`${active - 1} of ${all} services active`);
    await page.reload();
    await expect(enable).not.toBeChecked();
    const healSwitch = await failCalls(page, '**/mcp/travel/enable', { message: 'The lamp is broken.' });
    await enable.press('Space');
    await expect(travel.getByRole('alert')).toHaveText('The lamp is broken.');
    await expect(enable, 'a failure resets it').not.toBeChecked();
    await expectNoAxeFindings(page);
    await healSwitch();
    await enable.press('Space');
    await expect(line).toHaveText(`${active} of ${all} services active`);
    await expect(travel.getByRole('alert')).toHaveCount(0);
    for (const card of await cardsOf(page).all()) await expect(card.getByRole('switch')).toHaveCount(1);
    await expect(cardOf(page, 'Travel Pro').getByRole('switch')).toBeDisabled();
  });
  await test.step('[MINE-27] a card has a Details button that opens its dialog', async () => {
    await cardOf(page, 'Travel').getByRole('button', { name: 'Details of Travel', exact: true }).click();
    await expect(page.getByRole('dialog', { name: 'Travel', exact: true })).toContainText('Tools 7');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await cardOf(page, 'Travel Pro').getByRole('button', { name: 'Details of Travel Pro', exact: true }).click();
    await expect(page.getByRole('dialog', { name: 'Travel Pro', exact: true })).toContainText(
      /\$9\/month\s· Included in Pro \(\$19\/month\)/,
    );
  });
  await test.step('a service that is switched off stays visible among those that are on, until the list is reloaded', async () => {
    await page.goto('/dashboard?tab=services&show=on&q=Travel');
    const enable = cardOf(page, 'Travel').getByRole('switch', { name: 'Enable Travel', exact: true });
    await expect(enable).toBeChecked();
    // the switch shows the wanted state before it is stored
    const stored = page.waitForResponse((answer) => answer.request().method() !== 'GET' && answer.ok());
    await enable.click();
    await expect(enable).not.toBeChecked();
    await stored;
    await page.reload();
    await expect(screen(page).getByRole('heading', { name: 'No matching services', exact: true })).toBeVisible();
  });
});

test('my services that fail to load are reported, and the known ones stay; there may be none; the counters reflect the list', async ({
  page,
}) => {
  await openServices(page, 'fails-to-load@souk.test');
  await test.step('[MINE-2] [MINE-32] [MINE-34] [MINE-35] a refresh or a load that fails is reported, and the known services stay', async () => {
    const { all } = await shown(page);
    const heal = await failCalls(page, listPath, { message: 'The stalls are closed.' });
    await refresh(page).click();
    await expect(page.getByRole('alert').filter({ hasText: 'Failed to refresh MCP servers' })).toBeVisible();
    await expect(cardsOf(page), 'the known services stay').toHaveCount(all);
    await page.reload();
    const error = screen(page).getByRole('alert');
    await expect(error.getByRole('heading')).toHaveText('Error Loading Services');
    await expect(error).toContainText('Failed to load your MCP services. Please try again.');
    await expectNoAxeFindings(page);
    await heal();
    await screen(page).getByRole('button', { name: 'Retry', exact: true }).click();
    await expect(cardsOf(page)).toHaveCount(all);
  });
  await test.step('[MINE-4] the three counters count active, free and paid services', async () => {
    await changeServices(page, (services) => {
      const [one] = services.filter(({ id }) => id === 'travel-pro');
      if (!one) throw new Error('Travel Pro is missing');
      const types = ['free', 'free', 'free', 'free', 'purchase', 'rental', 'subscription', 'none'] as const;
      return types.map((accessType, index) => ({
        ...one,
        id: `counted-${index}`,
        name: `Counted ${index}`,
        trialDays: null,
        enabled: index < 5,
        down: null,
        userAccess: { ...one.userAccess, accessType, hasAccess: accessType !== 'none' },
      }));
    });
    await page.reload();
    await expect(lineOf(page)).toHaveText('5 of 8 services active');
    const counters = screen(page).locator('dl').first().locator('dt, dd');
    await expect(counters).toHaveText(['Active', '5', 'Free', '4', 'Paid', '3']);
    await page.unroute(listPath);
  });
  await test.step('[MINE-31] without services it says so', async () => {
    await changeServices(page, () => []);
    await page.reload();
    await expect(screen(page).getByRole('heading', { name: 'No MCP Services Found', exact: true })).toBeVisible();
    await expect(screen(page)).toContainText("You don't have any MCP services yet.");
  });
});

/** Gives the page one service for each type of access that a user can have. */
const prepareCards = (page: Page) =>
  changeServices(page, (services) => {
    const [one] = services.filter(({ id }) => id === 'travel-pro');
    if (!one) throw new Error('Travel Pro is missing');
    const none = one.userAccess;
    const access = { ...none, hasAccess: true, accessType: 'purchase' as const };
    const owned = { ...one, trialDays: null };
    const plan = {
      planId: 'pro',
      name: 'Pro',
      since: '2026-11-02T12:00:00.000Z',
      isCancelled: false,
      includedUntil: null,
    };
    return [
      { ...one, id: 'to-rent', name: 'To rent', icon: null, features: ['One', 'Two', 'Three', 'Four', 'Five'] },
      {
        ...one,
        id: 'in-plan',
        name: 'In plan',
        icon: '/icons/none.svg',
        billing: { tier: 'T3', rental: null, currency: 'USD', plan: null },
      },
      { ...owned, id: 'rented', name: 'Rented', userAccess: { ...access, accessType: 'rental' } },
      { ...owned, id: 'bought', name: 'Bought', features: ['One', 'Two', 'Three'], userAccess: access },
      { ...owned, id: 'tried', name: 'Tried', userAccess: { ...access, accessType: 'trial' } },
      { ...owned, id: 'tried-too', name: 'In plan, tried', userAccess: { ...access, accessType: 'trial', plan } },
    ];
  });

test('the card of every type of access says what the service is, what it costs, and what the user can do with it', async ({
  page,
}) => {
  await prepareCards(page);
  await openServices(page, 'looks-at-cards@souk.test');
  await test.step('[MINE-9] [MINE-10] [MINE-11] [MINE-25] a card says what the service is, and its price if the user does not have it', async () => {
    const toRent = cardOf(page, 'To rent');
    await expect(toRent).toContainText('Not Owned');
    await expect(toRent.getByText('Not Owned').locator('svg')).toBeVisible();
    await expect(toRent).toContainText('T2');
    await expect(toRent).toContainText('$9/month');
    await expect(toRent).toContainText('One · Two · Three +2 more');
    await expect(toRent.locator('svg text')).toHaveText('T');
    await expect(cardOf(page, 'In plan').locator('svg text')).toHaveText('I');
    await expect(cardOf(page, 'In plan')).toContainText('Requires system subscription');
    await expect(cardOf(page, 'Rented').locator('img')).toBeVisible();
    await expect(cardOf(page, 'Bought')).toContainText('One · Two · Three');
    await expect(cardOf(page, 'Bought')).not.toContainText('more');
    await expect(cardOf(page, 'In plan, tried')).toContainText(
      'Trial - activeNothing is charged when it ends: your plan continues.Some calls cost creditsAlso included in your Pro plan since Nov 2, 2026.',
    );
    await expect(screen(page)).toContainText('Active0Free0Paid31 service is on trial, which counts as neither');
    for (const name of ['Rented', 'Bought', 'Tried']) await expect(cardOf(page, name)).not.toContainText(/\$|Requires/);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await expectNoAxeFindings(page);
    }
  });
  await test.step('[MINE-28] [MINE-29] [MINE-30] a card has a button for each thing that the user can do', async () => {
    const withButton = (name: RegExp) =>
      cardsOf(page)
        .filter({ has: page.getByRole('button', { name, exact: true }) })
        .getByRole('heading');
    await expect(withButton(/^Purchase/)).toHaveText(['To rent']);
    await expect(withButton(/^Cancel Rental/)).toHaveText(['Rented']);
    await cardOf(page, 'To rent').getByRole('button', { name: 'Purchase To rent', exact: true }).click();
    await expect(page.getByRole('dialog', { name: 'Rent To rent', exact: true })).toBeVisible();
  });
});

test('many services can be searched by words and filtered by type of access, on pages that are part of the address', async ({
  page,
}) => {
  await changeServices(page, (services) => {
    const [one] = services.filter(({ id }) => id === 'travel-pro');
    if (!one) throw new Error('Travel Pro is missing');
    const access = { ...one.userAccess, hasAccess: true };
    return Array.from({ length: 60 }, (_, index) => ({
      ...one,
      id: `service-${index}`,
      name: `Service ${index}`,
      description: index % 2 === 0 ? 'Plans trips by train.' : 'Draws maps.',
      userAccess: index < 5 ? { ...access, accessType: 'rental' as const } : one.userAccess,
    }));
  });
  await openServices(page, 'has-many@souk.test');
  await expect(cardsOf(page)).toHaveCount(24);
  const pages = page.getByRole('navigation', { name: 'My services, pages', exact: true });
  await expect(pages).toContainText('Page 1 of 3');
  await pages.getByRole('button', { name: 'Next', exact: true }).click();
  await pages.getByRole('button', { name: 'Next', exact: true }).click();
  await expect(cardsOf(page)).toHaveCount(12);
  await expect(page).toHaveURL(/\?tab=services&page=3$/);
  await page.reload();
  await expect(pages).toContainText('Page 3 of 3');
  await page.getByRole('searchbox', { name: 'Search my services', exact: true }).fill('train SERVICE 5');
  // 50, 52, 54, 56 and 58 contain a 5 too; odd ones draw maps
  await expect(namesOn(page)).toHaveText(['Service 50', 'Service 52', 'Service 54', 'Service 56', 'Service 58']);
  await expect(page).toHaveURL(/\?tab=services&q=train(\+|%20)SERVICE(\+|%20)5$/);
  const show = page.getByRole('combobox', { name: 'Show', exact: true });
  await show.selectOption('Rented, bought or tried');
  await expect(screen(page).getByRole('heading', { name: 'No matching services', exact: true })).toBeVisible();
  await expectNoAxeFindings(page);
  await page.getByRole('button', { name: 'Clear search', exact: true }).click();
  await expect(cardsOf(page)).toHaveCount(5);
  await page.reload();
  await expect(show).toHaveValue('own');
  await expect(cardsOf(page)).toHaveCount(5);
  await show.selectOption('All services');
  await expect(cardsOf(page)).toHaveCount(24);
});

test('of two messages on any subject, the newer one is closer to the edge', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openServices(page, 'two-messages@souk.test');
  await shown(page);
  const heal = await failCalls(page, listPath, { message: 'The stall is closed.' });
  await refresh(page).click();
  const bad = page.getByText('Failed to refresh MCP servers', { exact: true });
  await expect(bad).toBeVisible();
  await heal();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('copy');
  await page.getByRole('dialog').getByRole('option', { name: /^Copy/ }).first().click();
  const good = page.getByText('Your link is copied.', { exact: true });
  await expect(good).toBeVisible();
  // hovered, so that neither disappears while the other is measured
  await bad.hover();
  const topOf = async (message: Locator) => (await message.boundingBox())?.y ?? 0;
  expect(await topOf(good)).toBeGreaterThan(await topOf(bad));
});
