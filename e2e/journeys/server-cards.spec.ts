import type { Locator, Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { changeCatalogue, withServer } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { cardOf } from './shop-page.ts';
import { openSignedIn } from './sign-in.ts';

test('[MKT-9] [MKT-26] [MKT-27] [MKT-28] a card shows counts and a status: connected green, disconnected gray, error red', async ({
  page,
}) => {
  await changeCatalogue(page, (catalogue) =>
    withServer(
      withServer(catalogue, 'memory', (server) => ({ ...server, status: 'error' })),
      'filesystem',
      (server) => ({ ...server, status: 'disconnected' }),
    ),
  );
  await page.goto('/marketplace');
  await expect(cardOf(page, 'Everything')).toContainText('12 tools · 4 prompts');
  await expect(cardOf(page, 'Sequential Thinking')).toContainText('1 tool · 0 prompts');
  const colour = async (name: string, status: string) => {
    const badge = cardOf(page, name).getByText(status, { exact: true });
    await expect(badge).toBeVisible();
    return paintedColour(badge);
  };
  const green = await colour('Everything', 'connected');
  expect(green.g).toBeGreaterThan(Math.max(green.r, green.b) + 30);
  const grey = await colour('Filesystem', 'disconnected');
  expect(Math.max(grey.r, grey.g, grey.b) - Math.min(grey.r, grey.g, grey.b)).toBeLessThan(30);
  const red = await colour('Memory', 'error');
  expect(red.r).toBeGreaterThan(Math.max(red.g, red.b) + 80);
});

/** Returns the color of an element's text, as the browser paints it. */
async function paintedColour(locator: Locator): Promise<{ r: number; g: number; b: number }> {
  const colour: string = await locator.evaluate((element) => getComputedStyle(element).color);
  const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return { r, g, b };
}

/** Removes the billing of Memory, and gives Travel Enterprise a price with every separator. */
const changePrices = (page: Page) =>
  changeCatalogue(page, (catalogue) => {
    const priced = withServer(catalogue, 'travel-enterprise', (server) => ({
      ...server,
      billing: {
        tier: 'T3',
        features: [],
        rental: { price: 123_456, currency: 'USD', name: 'A month', description: 'A month of everything' },
      },
    }));
    return withServer(priced, 'memory', ({ billing: _billing, ...server }) => server);
  });

test('[MKT-10] [MKT-11] [MKT-12] [GEN-9] a card shows tier and monthly price if there is billing, and neither without it, and links to the page of its server', async ({
  page,
}) => {
  await changePrices(page);
  await page.goto('/marketplace');
  await expect(cardOf(page, 'Travel Pro').getByText('$9/month', { exact: true })).toBeVisible();
  await expect(cardOf(page, 'Travel Pro')).toContainText(/T2\s*Professional/);
  await expect(cardOf(page, 'Travel Enterprise').getByText('$1,234.56/month', { exact: true })).toBeVisible();
  await expect(cardOf(page, 'Travel')).toContainText(/T0\s*Free/);
  await expect(cardOf(page, 'Memory')).not.toContainText('/month');
  await expect(cardOf(page, 'Memory')).not.toContainText('T0');
  // the link covers the card: a click next to its words follows it
  await cardOf(page, 'Notes').click({ position: { x: 60, y: 90 } });
  await expect(page).toHaveURL(/\/service\/notes$/);
});

test.describe('in a browser of another country', () => {
  test.use({ locale: 'de-DE' });

  test('[NUM-1] [NUM-2] [NUM-4] amounts are US dollars from cents, in the US English form', async ({ page }) => {
    await changePrices(page);
    await page.goto('/marketplace');
    const german = await page.evaluate(() => [navigator.language, (1234.5).toLocaleString()]);
    expect(german).toEqual(['de-DE', '1.234,5']);
    await expect(cardOf(page, 'Travel Pro').getByText('$9/month', { exact: true })).toBeVisible();
    await expect(cardOf(page, 'Travel Enterprise').getByText('$1,234.56/month', { exact: true })).toBeVisible();
  });
});

test('prices use the same words everywhere: a plan is named as it is sold, with a link, and a free service is free on card and page', async ({
  page,
}) => {
  await changeCatalogue(page, (catalogue) =>
    withServer(catalogue, 'memory', (server) => ({
      ...server,
      billing: {
        tier: 'T0',
        features: [],
        rental: { price: 700, currency: 'USD', name: 'A month', description: 'A month of memory' },
      },
    })),
  );
  await page.goto('/marketplace');
  await expect(cardOf(page, 'Memory')).toContainText(/T0\s*Free/);
  await expect(cardOf(page, 'Memory'), 'a free service has no price').not.toContainText(/\$|Purchase/);
  await expect(cardOf(page, 'Travel Pro')).toContainText('Included in Pro ($19/month)');
  await page.goto('/service/memory');
  await expect(page.getByLabel("Memory's link", { exact: true })).toBeVisible();
  await expect(page.getByRole('main')).not.toContainText(/\$|Purchase/);
  await page.goto('/service/travel');
  await expect(page.getByRole('main')).toContainText('Free to add, some calls cost credits');
  await expect(page.getByText('1 credit is about $0.01')).toHaveCount(1);
  await page.goto('/service/sequential-thinking');
  await expect(page.getByRole('main')).not.toContainText('1 credit is');
  await page
    .getByRole('region', { name: 'Use this service', exact: true })
    .getByRole('link', { name: 'Basic ($5/month)', exact: true })
    .click();
  await expect(page).toHaveURL(/\/plans#plan-basic$/);
  await expect(page.getByRole('article', { name: 'Basic plan', exact: true })).toBeInViewport();

  await openSignedIn(page, '/service/travel-pro?purchase=rental', 'price-language@souk.test');
  const dialog = page.getByRole('dialog', { name: 'Rent Travel Pro', exact: true });
  await expect(dialog).toContainText('Also included in Pro ($19/month)');
  await expectNoAxeFindings(page);
  await page.goto('/dashboard?tab=services');
  const own = (name: string) => page.getByRole('article', { name, exact: true });
  await expect(own('Travel Pro')).toContainText('Included in Pro ($19/month)Some calls cost credits');
  await expect(own('Travel')).toContainText(/Free Access.*Free to add, some calls cost credits/);
  await expect(own('Memory'), 'every call is included').not.toContainText('credits');
});

test('a card shows what calls cost, and to a signed-in user what is switched on, on home and in both variants', async ({
  page,
}) => {
  await page.goto('/marketplace');
  await expect(cardOf(page, 'Travel')).toContainText('Free to add, some calls cost credits');
  await expect(cardOf(page, 'Memory')).not.toContainText(/credit|Included/);
  await expect(cardOf(page, 'Sequential Thinking')).toContainText('Included in Basic ($5/month)');
  await expect(cardOf(page, 'Memory')).not.toContainText('Switched');
  await openSignedIn(page, '/marketplace', 'switches@souk.test');
  await expect(cardOf(page, 'Memory')).toContainText('Switched on');
  await expect(cardOf(page, 'Travel Pro'), 'no state of a service that they may not use').not.toContainText('Switched');
  await cardOf(page, 'Memory')
    .getByRole('link', { name: /^View Details/ })
    .click();
  await page.getByRole('switch', { name: 'Use Memory', exact: true }).click();
  await expect(page.getByText("Off: your assistants can't use it.")).toBeVisible();
  await page.getByRole('banner').getByRole('link', { name: 'Marketplace', exact: true }).click();
  await expect(cardOf(page, 'Memory'), 'immediately').toContainText('Switched off');
  for (const path of ['/marketplace?view=live', '/']) {
    await page.goto(path);
    await expect(cardOf(page, 'Memory'), path).toContainText('Switched off');
    await expect(cardOf(page, 'Calendar'), path).toContainText('Switched on');
  }
});
