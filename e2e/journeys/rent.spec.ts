import type { Page } from '@playwright/test';
import { administratorCalls, deleteServers, erasePerson, newPerson } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { changeCatalogue, failCalls, withServer } from './catalogue-answer.ts';
import { changeOwned, checkoutPath } from './offers-answer.ts';
import { expectLegalLinks } from './own-plans.ts';
import { payAndReturn, subscribeTo } from './pay-with-card.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { cardOf } from './shop-page.ts';
import { openSignedIn } from './sign-in.ts';

const day = '[A-Z][a-z]{2} \\d{1,2}, \\d{4}';
const useOf = (page: Page) => page.getByRole('region', { name: 'Use this service', exact: true });
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Rent Travel Pro', exact: true });
const pay = (page: Page) => dialogOf(page).getByRole('button', { name: 'Continue to payment', exact: true });

test('[SVC-17] a rental shows its price, its content, the cost of calls, and that it renews', async ({ page }) => {
  await openSignedIn(page, '/marketplace', 'asks-first@souk.test');
  await page.getByRole('link', { name: 'Purchase Travel Pro', exact: true }).click();
  const dialog = dialogOf(page);
  await expectLegalLinks(dialog);
  await expect(dialog).toContainText('$9/month');
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Carbon estimates' })).toBeVisible();
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Plan a round trip' })).toContainText(
    '3 credits per call',
  );
  await expect(dialog).toContainText(
    'Renews at $9/month until you cancel. You can cancel at any time in Billing, and keep access until the month',
  );
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
  await expectNoAxeFindings(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(/\/service\/travel-pro$/);

  // all tools are free, and one has a price from a date on
  const comingCost = { credits: 1, from: '2099-12-31T12:00:00.000Z' };
  await changeCatalogue(page, (catalogue) => ({
    ...catalogue,
    capabilities: catalogue.capabilities.map((one) => ({
      ...one,
      ...(one.type === 'tool' && { creditCost: 0 }),
      ...(one.displayName === 'Plan a round trip' && { comingCost }),
    })),
  }));
  await page.goto('/service/travel-pro?purchase=rental');
  await expect(dialog.getByRole('heading', { name: 'Calls that will cost credits on top', exact: true })).toBeVisible();
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Plan a round trip' })).toHaveText(
    /^Plan a round tripFrom Dec 31, 2099 UTC: 1 credit per call$/,
  );
  await expect(dialog).not.toContainText('All calls to');
});

test('[PAY-13] [PAY-15] a rental starts with a monthly price; failures are shown in the dialog', async ({ page }) => {
  const at = '2026-11-01T00:00:00.000Z';
  const unpaid = { id: 'a', mcpId: 'travel-pro', name: 'Travel Pro', tier: 'T2' as const, status: 'unpaid' as const };
  const facts = {
    type: 'monthly',
    startDate: at,
    endDate: at,
    features: [],
    isOffered: true,
    source: 'payment' as const,
  };
  await changeOwned(page, ({ subscription, ...answer }) => {
    const rentals = [{ ...unpaid, ...facts, charge: null, chargeIfResumed: null }];
    return { ...answer, subscription: { ...subscription, rentals } };
  });
  await openSignedIn(page, '/service/travel-pro', 'fails-first@souk.test');
  await useOf(page).getByRole('button', { name: 'Purchase', exact: true }).click();
  await expect(dialogOf(page)).toContainText(
    'Your earlier rental of Travel Pro was not paid. It ends once you pay here, and nothing more is charged for it.',
  );
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

test('a price that changes while the dialog is open is shown again, and the next click pays it', async ({
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
    await expect(dialog).toContainText('$9/month');
    await deploy('1.0.1', 1100);
    await go.click();
    await expect(failure).toHaveText('The price has changed. Please look at the new price before you pay.');
    await expect(dialog).toContainText('$11/month');
    await expectNoAxeFindings(page);
    await dialog.getByRole('button', { name: 'Not now', exact: true }).click();
    await expect(useOf(page)).toContainText('$11/month');

    await page.goto('/dashboard?tab=services');
    const card = page.getByRole('article', { name: 'Ferry', exact: true });
    await card.getByRole('button', { name: 'Purchase Ferry', exact: true }).click();
    await expect(dialog).toContainText('$11/month');
    await deploy('1.0.2', 800);
    await go.click();
    await expect(failure).toContainText('The price has changed.');
    await expect(dialog).toContainText('$8/month');
    await dialog.getByRole('button', { name: 'Not now', exact: true }).click();
    await expect(card).toContainText('$8/month');
    await card.getByRole('button', { name: 'Purchase Ferry', exact: true }).click();
    await go.click();
    await expect(page.getByRole('button', { name: 'Subscribe for $8/month', exact: true })).toBeVisible();

    // the payment page with the old price is closed, and a user who returns from it learns why
    await deploy('1.0.3', 700);
    await expect(async () => {
      await page.reload();
      await expect(page.getByRole('heading', { name: 'Checkout expired', exact: true })).toBeVisible({
        timeout: 5_000,
      });
    }).toPass();
    await page.getByRole('link', { name: 'Go back', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payment Page Closed');
    await expect(page.getByText('Your payment was canceled.')).toHaveCount(0);
    await expect(page.getByRole('main')).toContainText(
      'The price has changed, so this payment page was closed. You were not charged. Check the new price.',
    );
    await expectNoAxeFindings(page);
  } finally {
    await deleteServers(product.publicUrl, ['ferry']);
  }
});

test('[PAY-14] [SVC-18] any other kind of purchase is not supported, and without billing nothing can be purchased', async ({
  page,
}) => {
  await openSignedIn(page, '/service/travel-pro?purchase=lifetime', 'no-purchase@souk.test');
  await expect(dialogOf(page).getByRole('alert')).toHaveText('Unsupported purchase type');
  await expect(pay(page)).toHaveCount(0);

  await changeCatalogue(page, (catalogue) =>
    withServer(catalogue, 'travel-pro', ({ billing: _billing, ...server }) => server),
  );
  await page.goto('/service/travel-pro?purchase=rental');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Travel Pro');
  await expect(useOf(page).getByRole('heading')).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('[ACC-18] a button next to Purchase starts a trial, once, even for an account that is created again; the service is usable immediately', async ({
  page,
  product,
}) => {
  await openSignedIn(page, '/service/travel-pro', 'tries@souk.test');
  const purchase = useOf(page).getByRole('button', { name: 'Purchase', exact: true });
  await expect(purchase).toBeVisible();
  await useOf(page).getByRole('button', { name: 'Start 7-day trial of Travel Pro', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Start the trial of Travel Pro?', exact: true });
  await expect(question).toContainText(
    new RegExp(
      `No card is needed, and nothing is charged\\. The trial ends automatically on ${day}: Travel Pro then leaves your link, unless you rent it for \\$9/month or have the Pro plan\\.`,
    ),
  );
  await expectNoAxeFindings(page);
  await question.getByRole('button', { name: 'Start trial', exact: true }).click();
  const access = page.getByRole('region', { name: 'Your access', exact: true });
  await expect(access).toContainText(
    new RegExp(
      `^Your trialTrial - expires ${day}Nothing is charged when it ends\\. After that it is included in Pro \\(\\$19/month\\), or you can rent it for \\$9/month\\.`,
    ),
  );
  await expect(page.getByLabel("Travel Pro's link", { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /trial/ })).toHaveCount(0);
  await expectNoAxeFindings(page);
  // on a phone it is above the tools, also at the next visit
  const tools = page.getByRole('heading', { name: /^Tools Available/ });
  const isBelowTools = async () =>
    ((await access.boundingBox())?.y ?? 0) > ((await tools.boundingBox())?.y ?? Number.POSITIVE_INFINITY);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await isBelowTools()).toBe(false);
  await page.reload();
  await expect(access).toBeInViewport();
  await expect.poll(isBelowTools).toBe(false);
  await page.setViewportSize({ width: 1280, height: 844 });
  await access.getByRole('button', { name: 'Purchase', exact: true }).click();
  await expect(pay(page)).toBeVisible();
  await expect(dialogOf(page)).toContainText(
    new RegExp(
      `Your trial runs until ${day}\\. The rental starts as soon as you pay, and the remaining days of the trial are not added to it\\.`,
    ),
  );
  await dialogOf(page).getByRole('button', { name: 'Not now', exact: true }).click();
  await page.goto('/marketplace');
  await expect(cardOf(page, 'Travel Pro')).toContainText(new RegExp(`Trial until ${day}`));
  await page.goto('/dashboard?tab=services');
  await expect(page.getByRole('region', { name: 'Tier and credits', exact: true })).toContainText(
    'Every free service. You also try Travel Pro.',
  );
  await page
    .getByRole('article', { name: 'Travel Pro', exact: true })
    .getByRole('link', { name: 'Rent Travel Pro', exact: true })
    .click();
  await dialogOf(page).getByRole('button', { name: 'Not now', exact: true }).click();
  await access.getByRole('link', { name: 'Manage', exact: true }).click();
  const card = page.getByRole('article', { name: 'Travel Pro', exact: true });
  await expect(card).toContainText('Trial - expires');
  await expect(card).toContainText('Nothing is charged when it ends.Some calls cost credits');
  await expect(card.getByRole('button', { name: 'Purchase Travel Pro', exact: true }), 'they have access').toHaveCount(
    0,
  );
  await expect(card.getByRole('button', { name: /trial/ })).toHaveCount(0);
  await expectNoAxeFindings(page);

  await page.goto('/plans');
  await page.getByRole('button', { name: 'Subscribe to Pro', exact: true }).click();
  const planDialog = page.getByRole('alertdialog', { name: 'Subscribe to Pro?', exact: true });
  await expect(planDialog.getByRole('status')).toHaveText(
    new RegExp(
      `^Your trial of Travel Pro runs until ${day}\\. Pro includes Travel Pro as soon as you pay, and the remaining days of the trial are not added to it\\.$`,
    ),
  );
  await expectNoAxeFindings(page);
  await planDialog.getByRole('button', { name: 'Not now', exact: true }).click();
  await page.getByRole('button', { name: 'Subscribe to Basic', exact: true }).click();
  await expect(page.getByRole('alertdialog', { name: 'Subscribe to Basic?', exact: true })).toContainText('$5/month');
  await expect(page.getByRole('alertdialog'), 'Basic does not include it').not.toContainText('trial');
  await page.getByRole('button', { name: 'Not now', exact: true }).click();

  await page.goto('/dashboard?tab=billing');
  await expect(page.getByRole('region', { name: 'Your trials', exact: true }).getByRole('listitem')).toHaveText(
    new RegExp(`^Travel ProactiveTrial · ends automatically on ${day} · nothing is charged$`),
  );
  await expectNoAxeFindings(page);
  const id = await newPerson(product.publicUrl, 'tries@souk.test');
  await erasePerson(product.publicUrl, id, 'tries@souk.test');
  await page.evaluate(() => window.localStorage.clear());
  await openSignedIn(page, '/service/travel-pro', 'tries@souk.test');
  await expect(useOf(page)).toContainText(
    'Your e-mail address has had the trial of Travel Pro. Each address gets it once.',
  );
  await expect(purchase).toBeVisible();
  await expect(page.getByRole('button', { name: /trial/ })).toHaveCount(0);
});

test('the page of a service and the cards of the shop notice that a plan was paid in another tab; a stale offer corrects itself', async ({
  page,
  context,
}) => {
  await openSignedIn(page, '/service/travel-pro', 'pays-elsewhere@souk.test');
  const trial = useOf(page).getByRole('button', { name: 'Start 7-day trial of Travel Pro', exact: true });
  await expect(trial).toBeVisible();
  const [deaf, shop, other] = [await context.newPage(), await context.newPage(), await context.newPage()];
  // a browser that does not notify this tab
  await deaf.addInitScript(() =>
    window.addEventListener('storage', (event) => event.stopImmediatePropagation(), { capture: true }),
  );
  await deaf.goto('/service/travel-pro');
  await expect(useOf(deaf)).toContainText("Your plan doesn't include Travel Pro");
  await shop.goto('/marketplace');
  const card = cardOf(shop, 'Travel Pro');
  await expect(card.getByRole('link', { name: 'Purchase Travel Pro', exact: true })).toBeVisible();
  await other.goto('/plans');
  await subscribeTo(other, 'Pro');
  await payAndReturn(other);
  await expect(useOf(page)).toContainText('In your plan');
  await expect(card).toContainText('In your plan');
  await useOf(deaf).getByRole('button', { name: 'Start 7-day trial of Travel Pro', exact: true }).click();
  await deaf.getByRole('button', { name: 'Start trial', exact: true }).click();
  await expect(useOf(deaf)).toContainText('In your plan');
});
