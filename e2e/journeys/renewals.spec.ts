import { once } from 'node:events';
import { expect, test, type Page } from '@playwright/test';
import { forkProduct, type ForkedProduct } from '../forked-product.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { goToPayment, goodCard, laterDeclinedCard, payWithCard } from './pay-with-card.ts';
import { chooseAccount } from './sign-in.ts';

let product: ForkedProduct;
test.beforeAll(async () => {
  product = await forkProduct(new URL('../renewing-product.ts', import.meta.url));
});
test.afterAll(() => product.close());

async function passDays(days: number): Promise<void> {
  const answer = once(product.child, 'message');
  product.child.send(days);
  await answer;
}

async function subscribeToBasic(page: Page, email: string, card: string): Promise<void> {
  await page.goto(`${product.publicUrl}/plans`);
  await page.getByRole('button', { name: 'Subscribe to Basic', exact: true }).click();
  await chooseAccount(page, email);
  await goToPayment(page);
  await payWithCard(page, card);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payment Successful!');
  await page.getByRole('link', { name: 'Manage Subscription', exact: true }).click();
}

const subscriptions = (page: Page) => page.getByRole('region', { name: 'Active System Subscriptions', exact: true });

test('a renewal is paid, and stands in the history', async ({ page }) => {
  await subscribeToBasic(page, 'renews@souk.test', goodCard);
  await expect(subscriptions(page)).toContainText('active');
  const before = await subscriptions(page).innerText();
  await passDays(32);
  await expect(async () => {
    await page.reload();
    await expect(subscriptions(page)).toContainText('active');
    expect(await subscriptions(page).innerText()).not.toBe(before);
  }).toPass();
});

test('a renewal that fails says so and keeps access; paid with another card, all is well again', async ({ page }) => {
  await subscribeToBasic(page, 'fails@souk.test', laterDeclinedCard);
  await expect(subscriptions(page)).toContainText('active');
  await passDays(32);
  const notice = page.getByRole('alert').filter({ hasText: 'The last payment for Basic failed.' });
  await expect(async () => {
    await page.reload();
    await expect(notice).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await expect(notice).toContainText('You keep access while the payment is tried again.');
  await expect(subscriptions(page)).toContainText('payment failed');
  await expectNoAxeFindings(page);
  await page.goto(`${product.publicUrl}/dashboard?tab=services`);
  await expect(notice).toContainText('Pay $5 for Basic');
  await page.goto(`${product.publicUrl}/dashboard?tab=billing`);

  const opened = page.waitForEvent('popup');
  await notice.getByRole('link', { name: 'Pay $5 for Basic (opens a new tab)', exact: true }).click();
  const invoice = await opened;
  await payWithCard(invoice, goodCard);
  await invoice.getByRole('link', { name: 'Go back', exact: true }).click();
  await expect(subscriptions(invoice)).toBeVisible();
  await expect(async () => {
    await page.reload();
    await expect(subscriptions(page)).toContainText('active', { timeout: 5_000 });
  }).toPass();
  await expect(notice).toHaveCount(0);
});

test('a plan whose renewal failed is ended at once, and another card is chosen for what is kept', async ({ page }) => {
  await subscribeToBasic(page, 'ends@souk.test', goodCard);
  const methods = page.getByRole('region', { name: 'Payment method', exact: true });
  await expect(methods.getByRole('listitem')).toContainText(
    /^Visa ending in 4242Expires \d\d\/20\d\d · Charged for everything/,
  );
  await methods.getByRole('button', { name: 'Change card', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Change card', exact: true })).toBeVisible();
  await payWithCard(page, laterDeclinedCard);
  await expect(page).toHaveURL(/dashboard\?tab=billing/);
  await expect(subscriptions(page)).toContainText('active');
  await expect(methods.getByRole('listitem')).toContainText(/^Visa ending in 0341/);
  await expect(page.getByText('Your renewals are charged to Visa ending in 0341 from now on.')).toBeVisible();
  await passDays(32);
  await expect(async () => {
    await page.reload();
    await expect(subscriptions(page)).toContainText('payment failed', { timeout: 5_000 });
  }).toPass();
  await subscriptions(page).getByRole('button', { name: 'End now Basic', exact: true }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('End Basic now?');
  await expect(dialog).toContainText('Its last payment failed: access ends now, and nothing more is charged.');
  await dialog.getByRole('button', { name: 'End now', exact: true }).click();
  await expect(page.getByText('The Basic plan is canceled.')).toBeVisible();
  await expect(subscriptions(page)).toContainText('No plan yet');
  await expect(page.getByRole('alert').filter({ hasText: 'failed' })).toHaveCount(0);
});
