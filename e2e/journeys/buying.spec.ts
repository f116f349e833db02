import { readFile } from 'node:fs/promises';
import { getSubscription } from '@souk/contract/billing/billing.ts';
import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { callThroughLink } from './call-through-link.ts';
import { failCalls, holdCalls } from './catalogue-answer.ts';
import { subscriptionPath } from './offers-answer.ts';
import { declinedCard, goToPayment, payAndReturn, payWithCard, subscribeTo } from './pay-with-card.ts';
import { credits, day, expectLegalLinks, planOf, question, subscriptions } from './own-plans.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { chooseAccount, openSignedIn } from './sign-in.ts';

const buyStarter = (page: Page) =>
  page.getByRole('button', { name: 'Buy credits in the Starter package', exact: true });

test('credits are bought on the payment page, after a declined card, a page that was left and a canceled one bought nothing', async ({
  page,
  product,
}) => {
  await test.step('a declined card, a payment page that is left, and one that is canceled buy nothing', async () => {
    await openSignedIn(page, '/plans', 'buys-credits@souk.test');
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
  await test.step('[PAY-1] [PAY-2] [PAY-5] [PAY-6] once paid, they are there, and a reload of the result buys nothing more', async () => {
    await page.goto('/plans');
    const asked = page.waitForRequest('**/api/billing/checkout');
    await buyStarter(page).click();
    expect((await asked).postDataJSON()).toEqual({
      type: 'credit',
      planId: 'credits-500',
      shownAmount: 500,
      successUrl: `${product.publicUrl}/payment/result?success=true`,
      cancelUrl: `${product.publicUrl}/payment/result?canceled=true`,
    });
    await expect(page.getByRole('listitem').filter({ hasText: /^Starter: 500 credits/ })).toHaveText(/\$5$/);
    await payAndReturn(page);
    await expect(page.getByText('$5', { exact: true })).toBeVisible();
    const result = page.url();
    expect(new URL(result).pathname).toBe('/payment/result');
    await page.getByRole('link', { name: 'View Credit Balance', exact: true }).click();
    await expect(credits(page)).toContainText(/^Credits.*500Available for pay-per-use services/);
    await expect(credits(page)).toContainText('Bought never expire');
    await page.goto(result);
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payment Successful!');
    await expect(page).toHaveURL(/\/dashboard\?tab=billing$/);
    await expect(credits(page)).toContainText(/^Credits.*500Available/);
    const history = page.getByRole('region', { name: 'Billing History', exact: true });
    await expect(history.getByRole('row')).toHaveCount(2);
    await expect(history.getByRole('row').last()).toContainText('-$5');
    const download = page.waitForEvent('download');
    await history.getByRole('button', { name: 'CSV of your transactions', exact: true }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('souk-transactions.csv');
    expect(await readFile(await file.path(), 'utf8')).toMatch(/^[^\n]*amount[^\n]*\n[^\n]*5\.00/i);
    await expectNoAxeFindings(page);
  });
});

test('a payment page that is left after it was paid in another tab is not called canceled', async ({
  page,
  context,
}) => {
  await openSignedIn(page, '/plans', 'leaves-what-was-paid@souk.test');
  await buyStarter(page).click();
  const leave = page.getByRole('link', { name: 'Cancel and go back', exact: true });
  await expect(leave).toBeVisible();
  const other = await context.newPage();
  await other.goto('/plans');
  await buyStarter(other).click();
  await payAndReturn(other);
  await leave.click();
  await expect(page).toHaveURL(/\/payment\/result\?canceled=true$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payment Successful!');
});

test('a server is rented by a visitor who signs in for it, is used from a client, and is canceled and resumed', async ({
  page,
  product,
}) => {
  const card = page.getByRole('article', { name: 'Travel Pro', exact: true });
  const cancel = card.getByRole('button', { name: 'Cancel Rental of Travel Pro', exact: true });
  await test.step('it is rented, and used from a client', async () => {
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
    await expect(access).toContainText(new RegExp(`^Your rentalRented - active · renews ${day} for \\$9`));
    await expect(page.getByLabel("Travel Pro's link", { exact: true })).toBeVisible();
    expect(await callThroughLink(page, product.publicUrl, 'travelpro__find_airports', { query: 'Zurich' })).toContain(
      'ZRH',
    );
    await access.getByRole('link', { name: 'Manage', exact: true }).click();
    await expect(card).toContainText(new RegExp(`Rented - activerenews ${day} for \\$9`));
  });
  await test.step('[SUB-12] [SUB-20] [SUB-21] a dialog of ours asks before it ends, and declining changes nothing', async () => {
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
  await test.step('[SUB-13] [SUB-14] [SUB-22] [SUB-23] it is canceled, after a reported failure, and resumed', async () => {
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
    // the button that had the focus has been removed
    await expect(card.getByRole('heading')).toBeFocused();
    await expect(card).toContainText('Canceled. You can use and resume it until then.');
    await expect(cancel).toHaveCount(0);
    await card.getByRole('button', { name: 'Resume Travel Pro', exact: true }).click();
    await expect(question(page)).toContainText(
      new RegExp(
        `^Resume the rental of Travel Pro\\?\\$9 is charged on ${day} to Visa ending in 4242, and then each month until you cancel\\. Nothing is charged now\\.`,
      ),
    );
    await question(page).getByRole('button', { name: 'Resume', exact: true }).click();
    // a message stays while the pointer is over it
    await page.getByText('The rental of Travel Pro is resumed: it renews by itself.').hover();
    await expectNoAxeFindings(page);
    await expect(cancel).toBeVisible();
    await expect(card).not.toContainText('Canceled.');
  });
});

test('a plan that includes what a user rents says so before it is paid, and ends the rental if the user chooses', async ({
  page,
}) => {
  await openSignedIn(page, '/service/travel-pro?purchase=rental', 'rents-and-subscribes@souk.test');
  await goToPayment(page);
  await payAndReturn(page);
  // a page that was open before the rental was paid in another tab, and was not notified
  await routeNow(page, subscriptionPath, async (route) => {
    const response = await route.fetch();
    const answer = getSubscription.answer.parse(await response.json());
    await route.fulfill({ response, json: { ...answer, subscription: { ...answer.subscription, rentals: [] } } });
  });
  await page.goto('/plans');
  await planOf(page, 'Pro').getByRole('button', { name: 'Subscribe to Pro', exact: true }).click();
  await expect(question(page)).toContainText('Renews at $19/month until you cancel.');
  await expect(question(page)).not.toContainText('which you rent');
  await page.unroute(subscriptionPath);
  await goToPayment(page);
  await expect(question(page).getByRole('alert')).toHaveText(
    'You now rent Travel Pro, which Pro includes. Please check your choices before you pay.',
  );
  await expect(question(page)).toContainText('Pro includes Travel Pro, which you rent. With both, you pay twice.');

  // a click that is faster than the answer about the rentals
  const release = await holdCalls(page, subscriptionPath);
  await page.goto('/plans');
  await planOf(page, 'Pro').getByRole('button', { name: 'Subscribe to Pro', exact: true }).click();
  release();
  const dialog = question(page);
  await expect(dialog).toContainText('Renews at $19/month until you cancel.');
  await expect(dialog).toContainText('Pro includes Travel Pro, which you rent. With both, you pay twice.');
  await expectLegalLinks(dialog);
  await expect(
    dialog.getByRole('button', { name: 'Not now', exact: true }),
    'Enter pays and leaves nothing',
  ).toBeFocused();
  const ends = dialog.getByRole('checkbox', { name: 'End the rental of Travel Pro', exact: true });
  await expect(ends).toHaveAccessibleDescription(
    new RegExp(
      `^It ends on ${day}, instead of renewing at \\$9/month\\. You can resume it until then\\. This month's payment isn't refunded\\.$`,
    ),
  );
  await expectNoAxeFindings(page);
  await expect(dialog, 'nothing is paid twice').not.toContainText('You then pay');
  await ends.uncheck();
  await expect(ends).toHaveAccessibleDescription(new RegExp(`^It renews on ${day} at \\$9/month\\.$`));
  await expect(dialog).toContainText('You then pay $28 each month: $19 for Pro and $9 for Travel Pro.');
  await expectNoAxeFindings(page);
  await dialog.getByRole('button', { name: 'Continue to payment', exact: true }).click();
  await payAndReturn(page);

  await page.goto('/dashboard?tab=billing');
  const twice = page.getByRole('status').filter({ hasText: 'You pay twice for Travel Pro.' });
  await expect(twice).toContainText('Your Pro plan includes it, and you rent it for $9/month as well.');
  const rentals = page.getByRole('region', { name: 'Your rentals', exact: true });
  await expect(rentals.getByRole('listitem')).toHaveText(
    new RegExp(`^Travel ProactiveRental · next billing date ${day} · \\$9Cancel Rental of Travel Pro$`),
  );
  const upcoming = page.getByRole('table', { name: 'What you are charged next', exact: true });
  await expect(upcoming.getByRole('row', { name: /^Pro plan/ })).toContainText(/Visa ending in 4242\$19$/);
  await expect(upcoming.getByRole('row', { name: /^Rental of Travel Pro/ })).toContainText(/Visa ending in 4242\$9$/);
  await expectNoAxeFindings(page);
  await rentals.getByRole('link', { name: 'Travel Pro', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Your access', exact: true })).toContainText(
    new RegExp(`Rented - active · renews ${day} for \\$9 · included in your Pro plan since ${day}`),
  );
  await page.goto('/dashboard?tab=services');
  await page.getByRole('button', { name: 'Details of Travel Pro', exact: true }).click();
  const details = page.getByRole('dialog', { name: 'Travel Pro', exact: true });
  await expect(details.getByText('Your rental', { exact: true })).toBeVisible();
  await expect(details).not.toContainText('$9/month');

  await page.goto('/plans');
  await planOf(page, 'Enterprise').getByRole('button', { name: 'Upgrade to Enterprise', exact: true }).click();
  await expect(dialog).toContainText('Charged toVisa ending in 4242');
  await expect(ends).toBeChecked();
  await ends.uncheck();
  await expect(dialog).toContainText('You then pay $108 each month: $99 for Enterprise and $9 for Travel Pro.');
  await ends.check();
  await dialog.getByRole('button', { name: /^Pay / }).click();
  await expect(planOf(page, 'Enterprise').getByRole('button', { name: 'Current plan', exact: true })).toBeDisabled();
  await page.goto('/dashboard?tab=billing');
  await expect(rentals.getByRole('listitem')).toHaveText(
    new RegExp(`^Travel ProcanceledRental · ends at the end of the billing period, on ${day}Resume Travel Pro$`),
  );
  await expect(twice).toHaveCount(0);
  await expect(page.getByRole('status').filter({ hasText: 'is canceled: you keep it' })).toHaveText(
    new RegExp(
      `^The rental of Travel Pro is canceled: you keep it until ${day}, and it is not charged again\\. Your Enterprise plan includes Travel Pro\\.$`,
    ),
  );
  await expect(upcoming.getByRole('row')).toHaveCount(2);
  await rentals.getByRole('button', { name: 'Resume Travel Pro', exact: true }).click();
  await expect(dialog).toContainText(
    new RegExp(
      `Your Enterprise plan includes Travel Pro\\. If you keep renting it, you pay twice\\. Besides your plan, \\$9 is charged on ${day} to Visa ending in 4242, and then each month until you cancel\\. Nothing is charged now\\.`,
    ),
  );
  await expect(dialog.getByRole('button', { name: 'Resume and pay twice', exact: true })).toBeVisible();
  await dialog.getByRole('button', { name: 'Not now', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect(rentals.getByRole('listitem')).toContainText('canceled');
  const card = page.getByRole('article', { name: 'Travel Pro', exact: true });
  await page.goto('/dashboard?tab=services&show=plan');
  await expect(card, 'the other rental').toContainText(
    new RegExp(`Also included in your Enterprise plan since ${day}\\.`),
  );

  // a plan that does not include it is scheduled for the day on which the rental would be charged again
  await page.goto('/plans');
  await planOf(page, 'Basic').getByRole('button', { name: 'Downgrade to Basic', exact: true }).click();
  await expect(dialog).toContainText('Basic from then on$5/month');
  await dialog.getByRole('button', { name: 'Change plan', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await page.goto('/dashboard?tab=services&show=plan');
  await expect(card).toContainText(new RegExp(`Also included in your Enterprise plan since ${day}, until ${day}\\.`));
  await page.goto('/dashboard?tab=billing');
  const ended = page.getByRole('status').filter({ hasText: 'is canceled: you keep it' });
  await expect(ended).toContainText(new RegExp(`Your Enterprise plan includes Travel Pro until ${day}\\.$`));
  const resume = dialog.getByRole('button', { name: 'Resume', exact: true });
  await rentals.getByRole('button', { name: 'Resume Travel Pro', exact: true }).click();
  await expect(dialog).toContainText(
    new RegExp(
      `Your Enterprise plan includes Travel Pro until ${day}; Basic does not include it\\. \\$9 is charged on ${day} to Visa ending in 4242, and then each month until you cancel\\. Nothing is charged now\\.`,
    ),
  );
  await expect(resume).toBeVisible();
  await dialog.getByRole('button', { name: 'Not now', exact: true }).click();

  await subscriptions(page).getByRole('button', { name: 'Cancel Enterprise', exact: true }).click();
  await dialog.getByRole('button', { name: 'Cancel subscription', exact: true }).click();
  await expect(subscriptions(page)).toContainText('Enterprisecanceled');
  await expect(ended).toContainText(new RegExp(`Your Enterprise plan includes Travel Pro until ${day}\\.$`));
  await rentals.getByRole('button', { name: 'Resume Travel Pro', exact: true }).click();
  await expect(dialog).toContainText(
    new RegExp(`Your Enterprise plan includes Travel Pro until ${day}\\. \\$9 is charged on ${day} to Visa`),
  );
  await resume.click();
  await expect(rentals.getByRole('listitem')).toContainText('Travel Proactive');
  await expect(twice).toHaveCount(0);
});

test('the payment page of a rental is closed by a plan that includes it, and the way back says so', async ({
  page,
  context,
}) => {
  await openSignedIn(page, '/service/travel-pro?purchase=rental', 'has-it-by-now@souk.test');
  await page.getByRole('button', { name: 'Continue to payment', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Subscribe for $9/month', exact: true })).toBeVisible();
  const other = await context.newPage();
  await other.goto('/plans');
  await subscribeTo(other, 'Pro');
  await payAndReturn(other);
  await leaveExpiredCheckout(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payment Page Closed');
  await expect(page.getByRole('main')).toContainText(
    'You have the Pro plan now, which includes Travel Pro, so this payment page was closed. You were not charged.',
  );
  await expectNoAxeFindings(page);
  await page.getByRole('main').getByRole('link', { name: 'Billing', exact: true }).click();
  await expect(subscriptions(page)).toContainText('Pro');
});

test('the payment page of a plan is closed by a rental that it includes, and the way back asks about it', async ({
  page,
  context,
}) => {
  await openSignedIn(page, '/plans', 'rents-it-meanwhile@souk.test');
  await subscribeTo(page, 'Pro');
  await expect(page.getByRole('button', { name: 'Subscribe for $19/month', exact: true })).toBeVisible();
  const other = await context.newPage();
  await other.goto('/service/travel-pro?purchase=rental');
  await goToPayment(other);
  await other.getByRole('link', { name: 'Cancel and go back', exact: true }).click();
  await other.getByRole('main').getByRole('link', { name: 'Back to the service', exact: true }).click();
  await expect(other).toHaveURL(/\/service\/travel-pro$/);
  await other.goto('/service/travel-pro?purchase=rental');
  await goToPayment(other);
  await payAndReturn(other);
  await leaveExpiredCheckout(page);
  await expect(page.getByRole('main')).toContainText(
    'You rent Travel Pro now, which Pro includes, so this payment page was closed. You were not charged.',
  );
  await expectNoAxeFindings(page);
  await page.getByRole('main').getByRole('link', { name: 'Back to Pro', exact: true }).click();
  await expect(question(page)).toContainText('Pro includes Travel Pro, which you rent. With both, you pay twice.');
  await goToPayment(page);
  await expect(page.getByRole('button', { name: 'Subscribe for $19/month', exact: true })).toBeVisible();
});

test('[PLAN-16] a visitor who chooses a plan signs in, and continues to pay for it', async ({ page }) => {
  await page.goto('/plans');
  await planOf(page, 'Pro').getByRole('button', { name: 'Subscribe to Pro', exact: true }).click();
  await chooseAccount(page, 'visitor-subscribes@souk.test');
  await expect(question(page)).toContainText('Renews at $19/month until you cancel.');
  await expect(page, 'a reload does not ask again').toHaveURL(/\/plans$/);
  await expect(question(page)).toContainText(
    /^Subscribe to Pro\?.*\$19\/monthWhat you getT2\s*Professional\s*and Basic, Free services1,000 credits each monthEverything in Basic/,
  );
  await expect(question(page)).toContainText(
    'You can cancel at any time in Billing, and keep the plan until the month you paid for ends.Demo payments: no money moves. Pay with the card 4242 4242 4242 4242.',
  );
  await expectNoAxeFindings(page);
  await goToPayment(page);
  await expect(page).toHaveURL(/\/dev-stripe\//);
  await expect(page.getByRole('button', { name: 'Subscribe for $19/month', exact: true })).toBeVisible();
  await expect(
    page.getByText(
      'Renews at $19/month until you cancel. You can cancel at any time in your dashboard, under Billing.',
      {
        exact: true,
      },
    ),
  ).toBeVisible();
  await page.goto('/plans?buy=pro');
  await expect(planOf(page, 'Pro').getByRole('button', { name: 'Subscribe to Pro', exact: true })).toBeVisible();
});

/** Reloads a payment page until it says that it has expired, and goes back from it. */
async function leaveExpiredCheckout(page: Page): Promise<void> {
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Checkout expired', exact: true })).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await page.getByRole('link', { name: 'Go back', exact: true }).click();
}
