import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { failCalls, holdCalls } from './catalogue-answer.ts';
import { changeOffers, changeProfile, checkoutPath, packagesPath, plansPath, profilePath } from './offers-answer.ts';
import { goToPayment } from './pay-with-card.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

const planOf = (page: Page, name: string) => page.getByRole('article', { name: `${name} plan`, exact: true });
const packageOf = (page: Page, name: string) => page.getByRole('article', { name: `${name} package`, exact: true });
const servicesPath = '**/api/catalogue/servers?*';
const currentButtons = (page: Page) => page.getByRole('button', { name: 'Current plan', exact: true });

test('a visitor reads what plans and packages cost and include, and the answers to the first questions; axe finds nothing', async ({
  page,
}) => {
  await test.step('[PLAN-1] [PLAN-2] [PLAN-11] the plans and packages have tier, price and monthly credits; only Pro is Most Popular', async () => {
    await page.goto('/');
    await page
      .getByRole('navigation', { name: 'Main', exact: true })
      .getByRole('link', { name: 'Plans', exact: true })
      .click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Choose Your Plan');
    for (const [name, tier, price] of [
      ['Free', 'T0Freeservices', '$0'],
      ['Basic', 'T1Basicand Free services', '$5'],
      ['Pro', 'T2Professionaland Basic, Free services', '$19'],
      ['Enterprise', 'T3Enterpriseand Professional, Basic, Free services', '$99'],
    ] as const) {
      await expect(planOf(page, name)).toContainText(`${price}/month`);
      await expect(planOf(page, name)).toContainText(tier);
    }
    await expect(planOf(page, 'Pro')).toContainText('1,000 credits each month');
    await expect(planOf(page, 'Free')).not.toContainText('credits each month');
    const servicesOf = (name: string) => page.getByRole('list', { name: `Services of the ${name} plan`, exact: true });
    await expect(servicesOf('Free').getByRole('link')).toHaveCount(6);
    // sorted here, because the page lists the most used first
    expect((await servicesOf('Free').getByRole('link').allInnerTexts()).toSorted()).toEqual([
      'Calendar',
      'Everything',
      'Filesystem',
      'Memory',
      'Notes',
      'Travel',
    ]);
    await expect(servicesOf('Pro').getByRole('listitem')).toHaveText([
      'Travel Pro',
      'and all 7 services of lower tiers',
    ]);
    await expect(servicesOf('Pro').getByRole('link', { name: 'Travel Pro', exact: true })).toHaveAttribute(
      'href',
      '/service/travel-pro',
    );
    await expect(servicesOf('Pro').locator('img')).toHaveAttribute('src', /travel-pro/);
    await expect(planOf(page, 'Pro')).toContainText(
      'Enough for 1,000 calls to Calendar at 1 credit, or 333 to Travel Pro at 3.',
    );
    await expect(planOf(page, 'Free')).not.toContainText('Enough for');
    await expect(page.getByText('1 credit is about $0.01')).toHaveCount(1);
    await expect(page.getByText('Before you pay:')).toHaveCount(1);
    await expect(page.getByText('Most Popular')).toHaveCount(1);
    await expect(planOf(page, 'Pro').getByText('Most Popular')).toBeVisible();
    await expect(page.getByRole('article', { name: /package$/ })).toHaveCount(3);
  });
  await test.step('[PLAN-12] [PLAN-13] [PLAN-14] [PLAN-15] a package shows its credits, its bonus, their use and their validity', async () => {
    const bullets = (name: string) => packageOf(page, name).getByRole('listitem');
    await expect(bullets('Starter')).toHaveText([
      '500 credits included',
      'Use credits for MCP services',
      'Credits never expire',
    ]);
    await expect(bullets('Regular')).toHaveText([
      '2,000 credits included',
      '200 bonus credits',
      'Use credits for MCP services',
      'Credits never expire',
    ]);
    await expect(packageOf(page, 'Regular')).toContainText('2,200 credits for $20');
  });
  await test.step('[PLAN-3] [PLAN-4] [PLAN-5] the questions cover changing the plan, paying, and trials', async () => {
    for (const [question, answer] of [
      ['Can I change my plan at any time?', /^Yes\. An upgrade starts right away/],
      ['Which payment methods can I use?', /^Credit and debit cards\./],
      ['Is there a free trial?', /^The Free plan has no time limit\./],
    ] as const) {
      await page.getByRole('button', { name: question, exact: true }).click();
      await expect(page.getByRole('region', { name: question, exact: true })).toContainText(answer);
    }
    await expect(planOf(page, 'Pro')).toBeVisible();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
    await expectNoAxeFindings(page);
  });
});

test('[PLAN-6] [PLAN-8] [PLAN-9] [PLAN-10] the free plan is current for a user without another plan, and a credit plan never is', async ({
  page,
}) => {
  await page.goto('/plans');
  await expect(planOf(page, 'Free')).toBeVisible();
  await expect(currentButtons(page)).toHaveCount(0);
  await openSignedIn(page, '/plans', 'on-free@souk.test');
  const current = planOf(page, 'Free').getByRole('button', { name: 'Current plan', exact: true });
  await expect(current).toBeDisabled();
  await expect(currentButtons(page)).toHaveCount(1);
  await test.step('[PLAN-9] even if the profile names none', async () => {
    await changeProfile(page, { planId: '' });
    await page.reload();
    await expect(current).toBeDisabled();
    await page.unroute(profilePath);
  });
  await test.step("[PLAN-8] a plan with 'credit' in its id is never current", async () => {
    await changeOffers(page, {
      plans: (plans) => plans.map((plan) => (plan.planId === 'pro' ? { ...plan, planId: 'credit-club' } : plan)),
    });
    await changeProfile(page, { planId: 'credit-club' });
    await page.reload();
    await expect(planOf(page, 'Pro').getByRole('button', { name: 'Subscribe to Pro', exact: true })).toBeEnabled();
    await expect(currentButtons(page)).toHaveCount(0);
  });
});

test('[PLAN-17] [PLAN-18] [ERR-14] a checkout that fails to start shows the reason at its plan, and can be retried', async ({
  page,
}) => {
  await openSignedIn(page, '/plans', 'no-checkout@souk.test');
  const subscribe = planOf(page, 'Pro').getByRole('button', { name: 'Subscribe to Pro', exact: true });
  const heal = await failCalls(page, checkoutPath, { message: 'The till is closed.' });
  await subscribe.click();
  await goToPayment(page);
  const dialog = page.getByRole('alertdialog', { name: 'Subscribe to Pro?', exact: true });
  await expect(dialog.getByRole('alert')).toHaveText('The till is closed. Please try again.');
  await dialog.getByRole('button', { name: 'Not now', exact: true }).click();
  await expect(planOf(page, 'Pro').getByRole('alert')).toHaveText('The till is closed. Please try again.');
  await expectNoAxeFindings(page);
  await heal();
  const loggedOut = await failCalls(page, checkoutPath, { message: 'Authentication failed. Please log in again.' });
  await subscribe.click();
  await goToPayment(page);
  await expect(dialog.getByRole('alert')).toHaveText('Authentication failed. Please log in again.');
  await dialog.getByRole('button', { name: 'Not now', exact: true }).click();
  await loggedOut();
  await routeNow(page, checkoutPath, (route) => route.fulfill({ status: 500, body: 'no JSON' }));
  await packageOf(page, 'Starter')
    .getByRole('button', { name: 'Buy credits in the Starter package', exact: true })
    .click();
  await expect(packageOf(page, 'Starter').getByRole('alert')).toHaveText(
    'Failed to start checkout process. Please try again.',
  );
  await expect(
    page
      .getByRole('main')
      .getByRole('alert')
      .filter({ hasText: /till|log in/ }),
  ).toHaveCount(0);
});

test('plans and packages whose price has changed show the new price, and the next click pays it', async ({ page }) => {
  await changeOffers(page, {
    plans: (plans) => plans.map((plan) => ({ ...plan, amount: plan.amount === 0 ? 0 : 400 })),
    packages: (packages) => packages.map((one) => ({ ...one, price: 400 })),
  });
  const pro = planOf(page, 'Pro');
  const starter = packageOf(page, 'Starter');
  await openSignedIn(page, '/plans', 'price-list-moves@souk.test');
  await expect(pro).toContainText('$4/month');
  await expect(starter).toContainText('for $4');
  await page.unroute(plansPath);
  await page.unroute(packagesPath);
  await pro.getByRole('button', { name: 'Subscribe to Pro', exact: true }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Subscribe to Pro?', exact: true });
  await expect(dialog).toContainText('Renews at $4/month until you cancel.');
  await goToPayment(page);
  await expect(dialog.getByRole('alert')).toHaveText(
    'The price has changed. Please look at the new price before you pay.',
  );
  await expect(dialog).toContainText('Renews at $19/month until you cancel.');
  await dialog.getByRole('button', { name: 'Not now', exact: true }).click();
  await expect(pro).toContainText('$19/month');
  await expect(starter).toContainText('for $5');
  await starter.getByRole('button', { name: 'Buy credits in the Starter package', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Pay $5', exact: true })).toBeVisible();
});

test('while it loads the page reserves its space; a failure can be retried; an empty offer is reported', async ({
  page,
}) => {
  const release = await holdCalls(page, plansPath);
  await page.goto('/plans');
  await expect(page.getByRole('status').filter({ hasText: 'Loading plans…' })).toBeVisible();
  const releaseServices = await holdCalls(page, servicesPath);
  release();
  const offersAnswered = Promise.all([plansPath, packagesPath].map((path) => page.waitForResponse(path)));
  await page.reload();
  await offersAnswered;
  await page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))));
  await expect(planOf(page, 'Pro'), 'content of its services that loads later would move the buttons').toHaveCount(0);
  releaseServices();
  await expect(planOf(page, 'Pro')).toContainText('Travel Pro');
  await page.unroute(servicesPath);
  await page.unroute(plansPath);
  const heal = await failCalls(page, packagesPath, { message: 'The price list is lost.' });
  await page.reload();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Failed to load plansThe price list is lost.');
  await heal();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(planOf(page, 'Pro')).toBeVisible();
  await changeOffers(page, { plans: () => [], packages: () => [] });
  await page.reload();
  await expect(page.getByRole('heading', { name: 'No plans yet', exact: true })).toBeVisible();
});
