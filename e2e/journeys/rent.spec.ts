import type { Page } from '@playwright/test';
import { administratorCalls, deleteServers } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { changeCatalogue, failCalls, withServer } from './catalogue-answer.ts';
import { checkoutPath } from './offers-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { chooseAccount, openSignedIn } from './sign-in.ts';

const useOf = (page: Page) => page.getByRole('region', { name: 'Use this service', exact: true });
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Rent Travel Pro', exact: true });
const pay = (page: Page) => dialogOf(page).getByRole('button', { name: 'Continue to payment', exact: true });

test('[SVC-17] a rental says what it costs, what it brings, what calls cost on top, and that it renews', async ({
  page,
}) => {
  await openSignedIn(page, '/marketplace', 'asks-first@souk.test');
  await page.getByRole('link', { name: 'Purchase Travel Pro', exact: true }).click();
  const dialog = dialogOf(page);
  await expect(dialog).toContainText('$9.00/month');
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Carbon estimates' })).toBeVisible();
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Plan a round trip' })).toContainText(
    '3 credits per call',
  );
  await expect(dialog).toContainText('Renews each month for $9.00 until you cancel.');
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
  await expectNoAxeFindings(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(/\/service\/travel-pro$/);
});

test('[PAY-13] [PAY-15] a rental is asked for by the month; what fails is said in the dialog', async ({ page }) => {
  await openSignedIn(page, '/service/travel-pro', 'fails-first@souk.test');
  await useOf(page).getByRole('button', { name: 'Purchase', exact: true }).click();
  const heal = await failCalls(page, checkoutPath, { message: 'The till is closed.' });
  const asked = page.waitForRequest(checkoutPath);
  await pay(page).click();
  expect((await asked).postDataJSON()).toMatchObject({ type: 'rental', mcpId: 'travel-pro', period: 'monthly' });
  await expect(dialogOf(page).getByRole('alert')).toHaveText('The till is closed.');
  await heal();
  await routeNow(page, checkoutPath, (route) => route.fulfill({ status: 500, body: 'no JSON' }));
  await pay(page).click();
  await expect(dialogOf(page).getByRole('alert')).toHaveText('Purchase failed. Please try again.');
  await expectNoAxeFindings(page);
});

test('a price that changes while the dialog is open is shown anew, and the next click pays it', async ({
  page,
  product,
}) => {
  const calls = await administratorCalls(product.publicUrl);
  const deploy = async (version: string, price: number) => {
    const billing = { tier: 'T2', rental: { price } };
    const body = { name: 'Ferry', serviceType: 'mcp', description: 'Sails.', category: 'data', id: 'ferry', version };
    const connection = { type: 'http', url: 'service:travel' };
    await calls.createManifest({ query: {}, body: JSON.stringify({ ...body, connection, billing }) });
    await calls.deployManifest({ params: { id: 'ferry' }, body: {} });
  };
  await deploy('1.0.0', 900);
  try {
    const dialog = page.getByRole('dialog', { name: 'Rent Ferry', exact: true });
    const go = dialog.getByRole('button', { name: 'Continue to payment', exact: true });
    const failure = dialog.getByRole('alert');
    await openSignedIn(page, '/service/ferry', 'price-moves@souk.test');
    await useOf(page).getByRole('button', { name: 'Purchase', exact: true }).click();
    await expect(dialog).toContainText('$9.00/month');
    await deploy('1.0.1', 1100);
    await go.click();
    await expect(failure).toHaveText('The price has changed. Please look at it again before you pay.');
    await expect(dialog).toContainText('$11.00/month');
    await expectNoAxeFindings(page);
    await dialog.getByRole('button', { name: 'Not now', exact: true }).click();
    await expect(useOf(page)).toContainText('$11.00');

    await page.goto('/dashboard?tab=services');
    const card = page.getByRole('article', { name: 'Ferry', exact: true });
    await card.getByRole('button', { name: 'Purchase Ferry', exact: true }).click();
    await expect(dialog).toContainText('$11.00/month');
    await deploy('1.0.2', 800);
    await go.click();
    await expect(failure).toContainText('The price has changed.');
    await expect(dialog).toContainText('$8.00/month');
    await dialog.getByRole('button', { name: 'Not now', exact: true }).click();
    await expect(card).toContainText('$8.00/month');
    await card.getByRole('button', { name: 'Purchase Ferry', exact: true }).click();
    await go.click();
    await expect(page.getByRole('button', { name: 'Subscribe for $8.00 per month', exact: true })).toBeVisible();

    // the page of the old price is closed, and who comes back from it learns why
    await deploy('1.0.3', 700);
    await expect(async () => {
      await page.reload();
      await expect(page.getByRole('heading', { name: 'Checkout expired', exact: true })).toBeVisible({
        timeout: 1_000,
      });
    }).toPass();
    await page.getByRole('link', { name: 'Go back', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payment Canceled');
    await expect(page.getByText('Your payment was canceled. No charges were made.')).toBeVisible();
    await expect(page.getByRole('main')).toContainText(
      'The price has changed, so this payment page was closed. You were not charged. Look at the new price.',
    );
    await expectNoAxeFindings(page);
  } finally {
    await deleteServers(product.publicUrl, ['ferry']);
  }
});

test('[PAY-14] any other kind of purchase is not supported', async ({ page }) => {
  await openSignedIn(page, '/service/travel-pro?purchase=lifetime', 'lifetime@souk.test');
  await expect(dialogOf(page).getByRole('alert')).toHaveText('Unsupported purchase type');
  await expect(pay(page)).toHaveCount(0);
});

test('a visitor who wants to rent signs in, and comes back to the purchase', async ({ page }) => {
  await page.goto('/service/travel-pro');
  await useOf(page).getByRole('button', { name: 'Purchase', exact: true }).click();
  await chooseAccount(page, 'visitor-rents@souk.test');
  await expect(pay(page)).toBeVisible();
});

test('[SVC-18] without billing nothing can be purchased', async ({ page }) => {
  await changeCatalogue(page, (catalogue) =>
    withServer(catalogue, 'travel-pro', ({ billing: _billing, ...server }) => server),
  );
  await openSignedIn(page, '/service/travel-pro?purchase=rental', 'no-billing@souk.test');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Travel Pro');
  await expect(useOf(page).getByRole('heading')).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('[ACC-18] a trial is started with the button beside Purchase, once; the service is there at once', async ({
  page,
}) => {
  await openSignedIn(page, '/service/travel-pro', 'tries@souk.test');
  const purchase = useOf(page).getByRole('button', { name: 'Purchase', exact: true });
  await expect(purchase).toBeVisible();
  await useOf(page).getByRole('button', { name: 'Start 7-day trial of Travel Pro', exact: true }).click();
  const access = page.getByRole('region', { name: 'Your access', exact: true });
  await expect(access).toContainText(/^Your trialTrial - expires [A-Z][a-z]{2} \d+, \d{4}/);
  await expect(page.getByLabel("Travel Pro's link", { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /trial/ })).toHaveCount(0);
  await expectNoAxeFindings(page);
  // on a phone it stays where it was got, and from the next visit on the tools stand first
  const tools = page.getByRole('heading', { name: /^Tools Available/ });
  const isBelowTools = async () =>
    ((await access.boundingBox())?.y ?? 0) > ((await tools.boundingBox())?.y ?? Number.POSITIVE_INFINITY);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await isBelowTools()).toBe(false);
  await page.reload();
  await expect(tools).toBeInViewport();
  await expect.poll(isBelowTools).toBe(true);
  await page.setViewportSize({ width: 1280, height: 844 });
  await access.getByRole('button', { name: 'Purchase', exact: true }).click();
  await expect(pay(page)).toBeVisible();
  await dialogOf(page).getByRole('button', { name: 'Not now', exact: true }).click();
  await access.getByRole('link', { name: 'Manage', exact: true }).click();
  const card = page.getByRole('article', { name: 'Travel Pro', exact: true });
  await expect(card).toContainText('Trial - expires');
  await expect(card.getByRole('button', { name: 'Purchase Travel Pro', exact: true }), 'they have access').toHaveCount(
    0,
  );
  await expect(card.getByRole('button', { name: /trial/ })).toHaveCount(0);
  await expectNoAxeFindings(page);
});
