import { readFile } from 'node:fs/promises';
import { changeSubscription } from '@souk/contract/payments.ts';
import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { callThroughLink } from './call-through-link.ts';
import { failCalls } from './catalogue-answer.ts';
import { alwaysAuthenticatedCard, declinedCard, goodCard, payAndReturn, payWithCard } from './pay-with-card.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { chooseAccount, openSignedIn } from './sign-in.ts';

const planOf = (page: Page, name: string) => page.getByRole('article', { name: `${name} plan`, exact: true });
const buyStarter = (page: Page) =>
  page.getByRole('button', { name: 'Buy credits in the Starter package', exact: true });
const credits = (page: Page) => page.getByRole('region', { name: 'Credits', exact: true });
const subscriptions = (page: Page) => page.getByRole('region', { name: 'Active System Subscriptions', exact: true });
const question = (page: Page) => page.getByRole('alertdialog');
const day = '[A-Z][a-z]{2} \\d{1,2}, \\d{4}';

test('[PAY-1] [PAY-2] [PAY-5] [PAY-6] credits are bought on the payment page, and a reload of the result buys nothing more', async ({
  page,
  product,
}) => {
  await openSignedIn(page, '/plans', 'buys-credits@souk.test');
  const asked = page.waitForRequest('**/api/billing/checkout');
  await buyStarter(page).click();
  expect((await asked).postDataJSON()).toEqual({
    type: 'credit',
    planId: 'credits-500',
    shownAmount: 500,
    successUrl: `${product.publicUrl}/payment/result?success=true`,
    cancelUrl: `${product.publicUrl}/payment/result?canceled=true`,
  });
  await payAndReturn(page);
  await expect(page.getByText('$5.00')).toBeVisible();
  const result = page.url();
  expect(new URL(result).pathname).toBe('/payment/result');
  await page.getByRole('link', { name: 'View Credit Balance', exact: true }).click();
  await expect(credits(page)).toContainText(/^Credits.*500Available for pay-per-use services/);
  await expect(credits(page)).toContainText('Purchased never expire');
  await page.goto(result);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payment Successful!');
  await expect(page).toHaveURL(/\/dashboard$/);
  await page.goto('/dashboard?tab=billing');
  await expect(credits(page)).toContainText(/^Credits.*500Available/);
  const history = page.getByRole('region', { name: 'Billing History', exact: true });
  await expect(history.getByRole('row')).toHaveCount(2);
  await expect(history.getByRole('row').last()).toContainText('-$5.00');
  const download = page.waitForEvent('download');
  await history.getByRole('button', { name: 'CSV of your transactions', exact: true }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('souk-transactions.csv');
  expect(await readFile(await file.path(), 'utf8')).toMatch(/^[^\n]*amount[^\n]*\n[^\n]*5\.00/i);
  await expectNoAxeFindings(page);
});

test('a declined card, a payment page that is left, and one that is cancelled buy nothing', async ({ page }) => {
  await openSignedIn(page, '/plans', 'buys-nothing@souk.test');
  await buyStarter(page).click();
  await payWithCard(page, declinedCard);
  await expect(page.getByRole('alert')).toHaveText('Your card was declined.');
  await page.goto('/dashboard?tab=billing');
  await expect(credits(page)).toContainText(/0Available for pay-per-use services/);
  await page.goto('/plans');
  await buyStarter(page).click();
  await expect(page).toHaveURL(/\/dev-stripe\//);
  await page.goBack();
  await expect(buyStarter(page)).not.toHaveAttribute('aria-busy', 'true');
  await buyStarter(page).click();
  await page.getByRole('link', { name: 'Cancel and go back', exact: true }).click();
  await expect(page).toHaveURL(/\/payment\/result\?canceled=true$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payment Canceled');
  await page.getByRole('link', { name: 'View Plans', exact: true }).click();
  await expect(planOf(page, 'Free').getByRole('button', { name: 'Current plan', exact: true })).toBeVisible();
  await page.goto('/dashboard?tab=billing');
  await expect(page.getByRole('heading', { name: 'No Transaction History', exact: true })).toBeVisible();
});

/** A person who rents Travel Pro, at its card on the dashboard. */
async function openRental(page: Page, email: string) {
  await openSignedIn(page, '/service/travel-pro?purchase=rental', email);
  await page.getByRole('button', { name: 'Continue to payment', exact: true }).click();
  await payAndReturn(page);
  await page.goto('/dashboard?tab=services');
  const card = page.getByRole('article', { name: 'Travel Pro', exact: true });
  return { card, cancel: card.getByRole('button', { name: 'Cancel Rental of Travel Pro', exact: true }) };
}

test('a server is rented by a visitor who signs in for it, and used from a client', async ({ page, product }) => {
  await page.goto('/service/travel-pro');
  await page
    .getByRole('region', { name: 'Use this service', exact: true })
    .getByRole('button', { name: 'Purchase', exact: true })
    .click();
  await chooseAccount(page, 'rents-a-server@souk.test');
  await page.getByRole('button', { name: 'Continue to payment', exact: true }).click();
  await payAndReturn(page);
  await page.getByRole('link', { name: 'Start Using Service', exact: true }).click();
  const access = page.getByRole('region', { name: 'Your access', exact: true });
  await expect(access).toContainText(new RegExp(`^Your rentalRented - expires ${day} · renews until you cancel`));
  await expect(page.getByLabel("Travel Pro's link", { exact: true })).toBeVisible();
  expect(await callThroughLink(page, product.publicUrl, 'travelpro__find_airports', { query: 'Zurich' })).toContain(
    'ZRH',
  );
  await access.getByRole('link', { name: 'Manage', exact: true }).click();
  await expect(page.getByRole('article', { name: 'Travel Pro', exact: true })).toContainText('Rented - expires');
});

test('[SUB-12] [SUB-20] [SUB-21] the end of a rental is asked about in a dialog of ours, and declining changes nothing', async ({
  page,
}) => {
  const { cancel } = await openRental(page, 'keeps-a-rental@souk.test');
  const ended: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/cancel-rental/')) ended.push(request.url());
  });
  page.on('dialog', () => ended.push('a dialog of the browser'));
  await cancel.click();
  await expect(question(page)).toContainText(new RegExp(`You keep access until ${day} and can resume until then\\.`));
  await expectNoAxeFindings(page);
  await question(page).getByRole('button', { name: 'Keep it', exact: true }).click();
  await expect(question(page)).toHaveCount(0);
  await page.reload();
  await expect(cancel).toBeVisible();
  expect(ended).toEqual([]);
});

test('[SUB-13] [SUB-14] [SUB-22] [SUB-23] a rental is cancelled, after a failure that is told, and resumed', async ({
  page,
}) => {
  const { card, cancel } = await openRental(page, 'resumes-a-rental@souk.test');
  await cancel.click();
  const heal = await failCalls(page, '**/cancel-rental/travel-pro', { message: 'The office is closed.' });
  await question(page).getByRole('button', { name: 'Cancel rental', exact: true }).click();
  await expect(question(page).getByRole('alert')).toHaveText(
    'Failed to cancel rental. Please try again or contact support.',
  );
  await heal();
  const reloaded = page.waitForResponse('**/mcp-services');
  await question(page).getByRole('button', { name: 'Cancel rental', exact: true }).click();
  await reloaded;
  await expect(question(page)).toHaveCount(0);
  // the button that had the focus is gone
  await expect(card.getByRole('heading')).toBeFocused();
  await expect(card).toContainText('Ends at the end of the billing period.');
  await expect(cancel).toHaveCount(0);
  await card.getByRole('button', { name: 'Resume Travel Pro', exact: true }).click();
  await expect(cancel).toBeVisible();
  await expect(card).not.toContainText('Ends at the end');
});

test('[PLAN-16] a visitor who chooses a plan signs in, and goes on to pay for it', async ({ page }) => {
  await page.goto('/plans');
  await planOf(page, 'Pro').getByRole('button', { name: 'Subscribe to Pro', exact: true }).click();
  await chooseAccount(page, 'visitor-subscribes@souk.test');
  await expect(page).toHaveURL(/\/dev-stripe\//);
  await expect(page.getByRole('button', { name: 'Subscribe for $19.00 per month', exact: true })).toBeVisible();
  await page.goto('/plans?buy=pro');
  await expect(planOf(page, 'Pro').getByRole('button', { name: 'Subscribe to Pro', exact: true })).toBeVisible();
});

test('a plan is subscribed to and upgraded, at the price that was shown', async ({ page }) => {
  await openSignedIn(page, '/plans', 'subscribes@souk.test');
  await planOf(page, 'Basic').getByRole('button', { name: 'Subscribe to Basic', exact: true }).click();
  await payAndReturn(page);
  await page.getByRole('link', { name: 'Manage Subscription', exact: true }).click();
  await expect(subscriptions(page)).toContainText(new RegExp(`Basicactive.*next billing date ${day}`));
  await expect(credits(page)).toContainText(new RegExp(`From your plan expire ${day}200`));

  await subscriptions(page).getByRole('link', { name: 'Change plan', exact: true }).click();
  await expect(planOf(page, 'Basic').getByRole('button', { name: 'Current plan', exact: true })).toBeDisabled();
  const changePath = '**/api/billing/subscriptions/*/change';
  // a dollar less than it is
  await routeNow(page, changePath, async (route) => {
    const response = await route.fetch();
    const answer = changeSubscription.answer.parse(await response.json());
    await route.fulfill({
      response,
      json: { ...answer, change: { ...answer.change, amountDue: answer.change.amountDue - 100 } },
    });
  });
  await planOf(page, 'Pro').getByRole('button', { name: 'Upgrade to Pro', exact: true }).click();
  const payment = question(page).getByRole('button', { name: /^Pay / });
  const shown = await payment.textContent();
  await page.unroute(changePath);
  await payment.click();
  await expect(question(page).getByRole('alert')).toHaveText(
    'Failed to change the plan: The price has changed. Please look at it again before you pay.',
  );
  await expect(payment).toHaveText(`Pay $${(Number(shown?.slice(5)) + 1).toFixed(2)}`);
  await expect(question(page)).toContainText('From the next period$19.00/month');
  await expect(question(page)).toContainText('Credits added now, for the rest of this period800');
  await expect(question(page)).toContainText('Credits each month, from the next period1,000');
  await expectNoAxeFindings(page);
  await question(page)
    .getByRole('button', { name: /^Pay \$1\d\.\d\d$/ })
    .click();
  await expect(planOf(page, 'Pro').getByRole('button', { name: 'Current plan', exact: true })).toBeDisabled();
  await planOf(page, 'Basic').getByRole('button', { name: 'Downgrade to Basic', exact: true }).click();
  await expect(question(page)).toContainText(
    new RegExp(
      `Pro stays until${day}Due now\\$0\\.00Basic from then on\\$5\\.00/monthCredits each month, from then on200`,
    ),
  );
  await question(page).getByRole('button', { name: 'Not now', exact: true }).click();
  await planOf(page, 'Free').getByRole('link', { name: 'Manage plan', exact: true }).click();
  await expect(subscriptions(page)).toContainText('Proactive');
});

/** A person with the Pro plan, who asks to cancel it. */
async function askToCancelPro(page: Page, email: string) {
  await openSignedIn(page, '/plans', email);
  await planOf(page, 'Pro').getByRole('button', { name: 'Subscribe to Pro', exact: true }).click();
  await payAndReturn(page);
  await page.goto('/dashboard?tab=billing');
  const cancel = subscriptions(page).getByRole('button', { name: 'Cancel Pro', exact: true });
  await cancel.click();
  return { cancel, confirm: question(page).getByRole('button', { name: 'Cancel subscription', exact: true }) };
}

test('[SUB-16] [SUB-18] [SUB-19] [ERR-14] the end of a plan is asked about, and a failure is told with its reason', async ({
  page,
}) => {
  const { confirm } = await askToCancelPro(page, 'fails-to-cancel@souk.test');
  await expect(question(page)).toContainText(
    new RegExp(
      `Are you sure you want to cancel this system subscription\\? You keep access until ${day} and can resume until then\\.`,
    ),
  );
  const path = '**/cancel-subscription/*';
  const heal = await failCalls(page, path, { message: 'The office is closed.' });
  await confirm.click();
  await expect(question(page).getByRole('alert')).toHaveText('Failed to cancel subscription: The office is closed.');
  await heal();
  await routeNow(page, path, (route) => route.fulfill({ status: 500, body: 'no JSON' }));
  await confirm.click();
  await expect(question(page).getByRole('alert')).toHaveText(
    'Failed to cancel subscription. Please try again or contact support.',
  );
  await page.unroute(path);
});

test('[PLAN-7] [SUB-17] [SUB-22] [SUB-23] a plan is cancelled, says when it ends, and is resumed', async ({ page }) => {
  const { cancel, confirm } = await askToCancelPro(page, 'resumes@souk.test');
  const reloaded = page.waitForResponse('**/api/billing/subscription');
  await confirm.click();
  await reloaded;
  await expect(subscriptions(page)).toContainText(
    new RegExp(`Procanceled.*ends at the end of the billing period, on ${day}`),
  );
  await expect(cancel).toHaveCount(0);

  await page.goto('/plans');
  await expect(planOf(page, 'Pro')).toContainText(new RegExp(`Ends at the end of the billing period, on ${day}\\.`));
  await expectNoAxeFindings(page);
  await planOf(page, 'Pro').getByRole('link', { name: 'Resume it', exact: true }).click();
  await subscriptions(page).getByRole('button', { name: 'Resume Pro', exact: true }).click();
  await expect(subscriptions(page)).toContainText(new RegExp(`Proactive.*next billing date ${day}`));
  await expectNoAxeFindings(page);
});

test('Pro is subscribed to at once, left for Basic and kept, and goes up to Enterprise; another tab hears of it', async ({
  page,
  context,
}) => {
  const pro = planOf(page, 'Pro');
  await openSignedIn(page, '/plans', 'goes-up@souk.test');
  const other = await context.newPage();
  await other.goto('/plans');
  await expect(planOf(other, 'Pro').getByRole('button', { name: 'Subscribe to Pro', exact: true })).toBeVisible();
  await pro.getByRole('button', { name: 'Subscribe to Pro', exact: true }).click();
  await payAndReturn(page);
  await expect(planOf(other, 'Pro').getByRole('button', { name: 'Current plan', exact: true })).toBeDisabled();
  await page.goto('/plans');
  await planOf(page, 'Basic').getByRole('button', { name: 'Downgrade to Basic', exact: true }).click();
  await question(page).getByRole('button', { name: 'Change plan', exact: true }).click();
  await expect(pro).toContainText(new RegExp(`Changes to Basic on ${day}\\.`));
  await expect(planOf(other, 'Pro')).toContainText('Changes to Basic on');
  await other.close();
  await expect(pro.getByRole('button', { name: 'Current plan', exact: true })).toBeDisabled();
  await expect(planOf(page, 'Basic').getByRole('button', { name: /^Starts / })).toBeDisabled();
  await expect(planOf(page, 'Enterprise')).toContainText('You chose Basic for the next period. Keep Pro first.');
  await expectNoAxeFindings(page);
  await pro.getByRole('button', { name: 'Keep Pro', exact: true }).click();
  await expect(question(page)).toContainText('Due now$0.00');
  await question(page).getByRole('button', { name: 'Keep Pro', exact: true }).click();
  await expect(pro).not.toContainText('Changes to');

  await planOf(page, 'Enterprise').getByRole('button', { name: 'Upgrade to Enterprise', exact: true }).click();
  await question(page)
    .getByRole('button', { name: /^Pay \$(80\.00|79\.\d\d)$/ })
    .click();
  await expect(planOf(page, 'Enterprise').getByRole('button', { name: 'Current plan', exact: true })).toBeDisabled();
  await expect(pro.getByRole('button', { name: 'Downgrade to Pro', exact: true })).toBeVisible();
  await page.goto('/dashboard?tab=billing');
  await expect(subscriptions(page)).toContainText(/Enterpriseactive/);
  await expect(page.getByRole('region', { name: 'Your Access Tiers', exact: true })).toContainText('T3Enterprise');
});

test('an upgrade that the bank wants confirmed leads to its payment, and begins once it is paid', async ({ page }) => {
  await openSignedIn(page, '/plans', 'confirms@souk.test');
  await planOf(page, 'Basic').getByRole('button', { name: 'Subscribe to Basic', exact: true }).click();
  await payWithCard(page, alwaysAuthenticatedCard);
  await page.getByRole('button', { name: 'Complete authentication', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payment Successful!');
  await page.goto('/plans');
  await planOf(page, 'Pro').getByRole('button', { name: 'Upgrade to Pro', exact: true }).click();
  await question(page).getByRole('button', { name: /^Pay / }).click();
  await expect(page.getByRole('heading', { name: /^Invoice / })).toBeVisible();
  await page.goto('/dashboard?tab=billing');
  const waiting = page.getByRole('status').filter({ hasText: 'Your upgrade to Pro waits for your payment.' });
  await expect(waiting).toContainText(
    new RegExp(`by ${day}, .*If you do nothing, you stay on Basic and pay nothing for the upgrade\\.`),
  );
  await expect(subscriptions(page)).toContainText('Basicactive');
  await expectNoAxeFindings(page);
  const opened = page.waitForEvent('popup');
  await waiting.getByRole('link', { name: /^Pay \$1\d\.\d\d for the upgrade to Pro/ }).click();
  const invoice = await opened;
  await payWithCard(invoice, goodCard);
  await expect(invoice.getByText(', paid')).toBeVisible();
  await invoice.close();
  await expect(async () => {
    await page.goto('/dashboard?tab=billing');
    await expect(subscriptions(page)).toContainText('Proactive', { timeout: 3_000 });
  }).toPass();
  await expect(waiting).toHaveCount(0);
  await page.goto('/plans');
  await expect(planOf(page, 'Pro').getByRole('button', { name: 'Current plan', exact: true })).toBeVisible();
});
