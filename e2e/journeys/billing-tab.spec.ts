import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { failCalls } from './catalogue-answer.ts';
import { changeOffers, changeOwned, subscriptionPath } from './offers-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

const subscriptions = (page: Page) => page.getByRole('region', { name: 'Active System Subscriptions', exact: true });
const credits = (page: Page) => page.getByRole('region', { name: 'Credits', exact: true });
const historyPath = '**/v2/billing-history/user/*/dashboard';
const alerts = (page: Page) => page.getByRole('main').getByRole('alert');

async function openBilling(page: Page, email: string): Promise<void> {
  await openSignedIn(page, '/dashboard?tab=billing', email);
}

type Plan = SubscriptionAnswer['subscription']['subscriptions'][number];
const pro: Plan = {
  id: 'sub-1',
  planName: 'Pro',
  mcpId: 'pro',
  tier: 'T2',
  type: 'subscription',
  status: 'active',
  currentPeriodEnd: '2027-01-15T00:00:00.000Z',
  nextPlanId: null,
  nextTier: null,
  pendingPlanId: null,
  pendingUntil: null,
  source: 'payment',
  renewal: null,
  priceChange: null,
  charge: null,
  chargeIfResumed: null,
};
type Owned = SubscriptionAnswer['subscription'];
const owning = (page: Page, subscriptions: Owned['subscriptions'], rentals: Owned['rentals'] = []) =>
  changeOwned(page, (answer) => ({ ...answer, subscription: { ...answer.subscription, subscriptions, rentals } }));

test('owned items are summed up, and fall back to nothing if they cannot be fetched', async ({ page }) => {
  await test.step('[BILL-15] [SUB-9] what cannot be fetched falls back to tier T0, no credits and no subscription', async () => {
    const heal = await failCalls(page, subscriptionPath, { message: 'The books are closed.' });
    await openBilling(page, 'no-books@souk.test');
    await expect(alerts(page)).toHaveText('Unable to load billing information');
    await expect(page.getByRole('region', { name: 'Your Access Tiers', exact: true }).getByRole('listitem')).toHaveText(
      ['T0FreeEvery free service.'],
    );
    await expect(credits(page)).toContainText(/0Available for pay-per-use services/);
    await expect(subscriptions(page)).toContainText('No plan yet');
    await heal();
  });
  await test.step('[BILL-4] the summary has separate counts of subscriptions, purchases, rentals and trials', async () => {
    await changeOwned(page, (answer) => ({
      ...answer,
      summary: {
        ...answer.summary,
        hasActiveSubscriptions: true,
        totalSubscriptions: 4,
        totalPurchases: 3,
        totalRentals: 2,
        totalTrials: 1,
      },
    }));
    await page.reload();
    const summary = page.getByRole('region', { name: 'Subscription Summary', exact: true });
    await expect(summary.locator('dt, dd')).toHaveText([
      'Subscriptions',
      '4',
      'Purchases',
      '3',
      'Rentals',
      '2',
      'Trials',
      '1',
    ]);
  });
});

const history = (page: Page) => page.getByRole('region', { name: 'Billing History', exact: true });
const refresh = (page: Page) => history(page).getByRole('button', { name: 'Refresh', exact: true });
const titleOf = (page: Page, text: string) => alerts(page).getByRole('heading', { name: text, exact: true });
const nothingYet = (page: Page) => history(page).getByRole('heading', { name: 'No Transaction History', exact: true });

test('[BILL-12] [BILL-14] [BILL-16] the history loads when the tab is first opened, and not again when it is opened later', async ({
  page,
  context,
}) => {
  const asked: string[] = [];
  await page.clock.install();
  page.on('request', (request) => {
    if (/\/v2\/billing-history\/.*\/dashboard$/.test(request.url())) asked.push(request.url());
  });
  await openSignedIn(page, '/dashboard?tab=profile', 'no-history@souk.test');
  await expect(page.getByText('Member since')).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(asked, 'before the tab is opened').toEqual([]);
  await context.setOffline(true);
  await page.getByRole('tab', { name: 'Billing', exact: true }).click();
  await expect(history(page)).toContainText('Click refresh to load your billing history');
  await context.setOffline(false);
  await expect(nothingYet(page)).toBeVisible();
  expect(asked, 'when the tab is opened').toHaveLength(1);
  await page.getByRole('tab', { name: 'Billing', exact: true }).press('ArrowLeft');
  await page.clock.fastForward('01:00');
  await page.getByRole('tab', { name: 'My Services', exact: true }).press('ArrowRight');
  await expect(nothingYet(page)).toBeVisible();
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await page.waitForLoadState('networkidle');
  expect(asked, 'when it is opened again').toHaveLength(1);
  await refresh(page).click();
  await expect.poll(() => asked.length, 'on Refresh').toBe(2);
});

test('[BILL-5] [BILL-13] [HIST-13] [HIST-14] a history that fails to refresh says so, and so do all its transactions', async ({
  page,
}) => {
  await openBilling(page, 'failing-history@souk.test');
  await expect(nothingYet(page)).toBeVisible();
  const heal = await failCalls(page, '**/v2/billing-history/**', { message: 'Failed to fetch billing dashboard' });
  await refresh(page).click();
  await expect(titleOf(page, 'Failed to fetch billing dashboard')).toBeVisible();
  await expect(history(page).getByRole('alert')).toContainText(
    'Unable to load billing history. Please try again later.',
  );
  await expectNoAxeFindings(page);
  await heal();
  await changeHistory(page, () => [1, 2, 3, 4, 5, 6]);
  await history(page).getByRole('button', { name: 'Retry', exact: true }).click();
  await failCalls(page, '**/v2/billing-history/user/*/transactions*', { message: 'The book is lost.' });
  await history(page).getByRole('button', { name: 'Show all', exact: true }).click();
  await expect(titleOf(page, 'Failed to fetch transactions')).toBeVisible();
});

/**
 * Changes the transactions that the page sees: the first is a refund, and the second was refunded.
 * @param all number of transactions, including those that are not among the newest
 */
function changeHistory(page: Page, numbers: () => number[], all?: number): Promise<unknown> {
  const row = (id: number) => ({
    id: `t-${id}`,
    status: id === 2 ? 'refunded' : 'completed',
    type: id === 1 ? 'refund' : 'credit_purchase',
    description: `Number ${id}`,
    mcpId: null,
    amount: 500,
    currency: 'USD',
    createdAt: '2026-11-01T10:00:00.000Z',
    receiptUrl: null,
    dispute: null,
  });
  return routeNow(page, historyPath, (route) => {
    const recentTransactions = numbers().map(row);
    const totals = { totalSpent: 2000, currency: 'USD', totalTransactions: all ?? recentTransactions.length };
    return route.fulfill({ json: { success: true, data: { ...totals, recentTransactions } } });
  });
}

test('the history counts its transactions, and shows the newest with refunds in green', async ({ page }) => {
  await test.step('[BILL-6] the amount spent, the number of transactions, and how many of them are recent', async () => {
    await changeHistory(page, () => [1, 2, 3, 4, 5, 6, 7], 42);
    await openBilling(page, 'counted-history@souk.test');
    await expect(history(page).locator('dt, dd')).toHaveText([
      'Total spent',
      '$20',
      'Transactions',
      '42',
      'Recent',
      '7',
    ]);
    await expect(history(page)).toContainText('Showing 5 of 7 recent transactions');
    await page.unroute(historyPath);
  });
  await test.step('[BILL-7] [BILL-9] [BILL-10] [BILL-11] the five newest transactions are shown, with refunds green and +, and the count of more', async () => {
    let numbers = [1, 2, 3, 4, 5];
    await changeHistory(page, () => numbers);
    await page.reload();
    const rows = history(page).getByRole('table', { name: 'Recent transactions', exact: true }).getByRole('row');
    await expect(rows).toHaveCount(6);
    await expect(history(page)).not.toContainText('Showing');
    numbers = [1, 2, 3, 4, 5, 6];
    await refresh(page).click();
    await expect(history(page)).toContainText('Showing 5 of 6 recent transactions');
    await expect(rows).toHaveCount(6);
    const refund = history(page).getByRole('row', { name: /Number 1/ });
    await expect(refund).toContainText('+$5');
    const shown = (text: string) => refund.getByText(text).filter({ visible: true });
    const colourOf = (text: string) => shown(text).evaluate((element) => getComputedStyle(element).color);
    expect(await colourOf('+$5')).toBe(await colourOf('completed'));
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(shown('completed')).toHaveCount(1);
    await expect(history(page).getByText('refunded').filter({ visible: true })).toHaveCount(1);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await expectNoAxeFindings(page);
    await expect(history(page).getByRole('row', { name: /Number 2/ })).toContainText('-$5');
  });
});

test('[SUB-15] [SUB-16] only an active subscription is canceled; one without an end date cannot be undone', async ({
  page,
}) => {
  const [startDate, endDate] = ['2026-12-15T00:00:00.000Z', '2027-01-15T00:00:00.000Z'];
  const rental = {
    type: 'monthly',
    startDate,
    endDate,
    features: [],
    tier: 'T3' as const,
    charge: null,
    chargeIfResumed: null,
  };
  const source = 'payment' as const;
  await owning(
    page,
    [
      { ...pro, currentPeriodEnd: null },
      { ...pro, id: 'sub-2', planName: 'Late', status: 'past_due' },
      { ...pro, id: 'sub-4', planName: 'Unpaid', status: 'unpaid' },
      { ...pro, id: 'sub-3', planName: 'Given', source: 'administrator' },
    ],
    [
      { ...rental, source, id: 'rent-1', mcpId: 'shut', name: 'Shut', status: 'canceled', isOffered: false },
      { ...rental, source, id: 'rent-3', mcpId: 'lost', name: 'Lost', status: 'active', isOffered: false },
      { ...rental, source, id: 'rent-2', mcpId: 'open', name: 'Open', status: 'past_due', isOffered: true },
    ],
  );
  await openBilling(page, 'without-end@souk.test');
  await expect(alerts(page).filter({ hasText: 'Late' })).toContainText('The last payment for Late and Open failed.');
  await expect(alerts(page).filter({ hasText: 'Unpaid' })).toContainText(
    'Access has ended. Pay it to continue, or end it and start again.',
  );
  const shut = page.getByRole('status').filter({
    hasText:
      'Shut is no longer offered, and its tools no longer work. Your rental ends on Jan 15, 2027 and is not renewed.',
  });
  await expect(shut).toBeVisible();
  await expect(subscriptions(page).getByRole('button', { name: /^Cancel/ })).toHaveCount(1);
  await expect(subscriptions(page)).toContainText('Given by your administrator');
  await expectNoAxeFindings(page);
  await page.getByRole('tab', { name: 'My Services', exact: true }).click();
  await expect(shut, 'beside the services too').toBeVisible();
  await expect(shut).toContainText(
    'If the service comes back before then, you can use it again, and resume the rental.',
  );
  // also before the payment provider has confirmed that it ends
  const gone = page.getByRole('region', { name: 'Rented, but no longer offered', exact: true });
  await expect(gone.getByRole('listitem')).toHaveText([
    /^Shutcanceled.*ends at the end of the billing period, on Jan 15, 2027$/,
    /^Lostactive.*ends at the end of the billing period, on Jan 15, 2027Cancel Rental of Lost$/,
  ]);
  await expectNoAxeFindings(page);
  await page.getByRole('tab', { name: 'Billing', exact: true }).click();
  await subscriptions(page).getByRole('button', { name: 'Cancel Pro', exact: true }).click();
  await expect(page.getByRole('alertdialog')).toContainText(
    'Are you sure you want to cancel this system subscription? This action cannot be undone.',
  );
});

test('the monthly limit is entered, kept, and removed', async ({ page }) => {
  await openBilling(page, 'limits@souk.test');
  const field = page.getByLabel('Maximum credits per month');
  await field.fill('a lot');
  await field.press('Enter');
  await expect(field).toBeFocused();
  await expect(field).toHaveAccessibleDescription(/Enter a whole number of credits, or nothing for no limit\./);
  await field.fill('1,500');
  await page.getByRole('button', { name: 'Save limit', exact: true }).click();
  await expect(page.getByText('0 credits spent this month of 1,500.')).toBeVisible();
  await page.reload();
  await expect(field).toHaveValue('1500');
  await field.fill('');
  await field.press('Enter');
  await expect(page.getByText('There is no monthly limit.')).toBeVisible();
});

test('[NUM-5] credits are grouped by thousands: those of a plan, of a package, and your own', async ({ page }) => {
  await changeOffers(page, {
    plans: (plans) => plans.map((plan) => ({ ...plan, monthlyCredits: plan.planId === 'pro' ? 1_234_567 : 0 })),
  });
  await changeOwned(page, (answer) => ({
    ...answer,
    credits: {
      ...answer.credits,
      balance: 76_543,
      available: 65_432,
      held: 11_111,
      parts: [{ source: 'purchased', credits: 76_543, expiresAt: null }],
    },
  }));
  await page.goto('/plans');
  await expect(page.getByText('1,234,567 credits each month')).toBeVisible();
  await expect(page.getByText('10,000 credits included')).toBeVisible();
  await openSignedIn(page, '/dashboard?tab=billing', 'thousands@souk.test');
  await expect(credits(page)).toContainText('65,432Available for pay-per-use services');
  await expect(credits(page)).toContainText('76,543');
  await expect(credits(page)).toContainText('11,111');
});
