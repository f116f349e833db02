import { once } from 'node:events';
import { expect, test, type Page } from '@playwright/test';
import { forkProduct, type ForkedProduct } from '../forked-product.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { expectOwnIcon } from './own-icon.ts';
import { goToPayment, goodCard, laterDeclinedCard, payWithCard } from './pay-with-card.ts';
import { chooseAccount } from './sign-in.ts';

// The pages of the stand-in for Stripe, and the effects of a payment after months.

let product: ForkedProduct;
let checkouts: string[];
const violations: string[] = [];

test.beforeAll(async () => {
  product = await forkProduct(new URL('../renewing-product.ts', import.meta.url));
  checkouts = [product.ready['checkouts']].flat().map(String);
});
test.afterAll(() => product.close());
test.beforeEach(({ page }) => {
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) violations.push(message.text());
  });
});
test.afterEach(() => expect(violations).toEqual([]));

/** Expects that it fits without scrolling sideways on a phone and on a desktop, and that axe finds nothing. */
async function expectFit(page: Page): Promise<void> {
  await expectOwnIcon(page);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await expectNoAxeFindings(page);
  }
}

test('a user pays with the keyboard only, and returns with the id of the session', async ({ page }) => {
  const [address = ''] = checkouts;
  await page.goto(address);
  await expect(page.getByText('SANDBOX - no money moves.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Pay', exact: true })).toBeVisible();
  await expectFit(page);
  await page.getByLabel('E-mail').focus();
  for (const text of ['ada@souk.test', '4242 4242 4242 4242', '12 / 34', '123', 'Ada Lovelace']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  await expect(page.getByRole('button', { name: 'Pay $10', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${product.publicUrl}/payment/result?session_id=${address.split('/').at(-1)}`);
  await page.goto(address);
  await expect(page.getByRole('heading', { name: 'Payment complete', exact: true })).toBeVisible();
  await expectFit(page);
});

test('faults are shown at their fields; a declined card says so; 3-D Secure is requested; then the user subscribes', async ({
  page,
}) => {
  const address = checkouts[1] ?? '';
  await page.goto(address);
  const pay = page.getByRole('button', { name: 'Subscribe for $10/month', exact: true });
  await pay.click();
  await expect(page.getByLabel('E-mail')).toBeFocused();
  await expect(page.getByLabel('Card number')).toHaveAccessibleDescription('Enter a card number.');
  await expectFit(page);

  const fill = async (card: string) => {
    await page.getByLabel('Card number').fill(card);
    await page.getByLabel('Security code').fill('123');
    await pay.click();
  };
  await page.getByLabel('E-mail').fill('ada@souk.test');
  await page.getByLabel('Expiry').fill('12/34');
  await page.getByLabel('Name on card').fill('Ada Lovelace');
  await fill('4000 0000 0000 0002');
  await expect(page.getByRole('alert')).toHaveText('Your card was declined.');
  await expect(page.getByLabel('Name on card')).toHaveValue('Ada Lovelace');
  await expectFit(page);

  await fill('4000 0025 0000 3155');
  await expect(page.getByRole('heading', { name: '3-D Secure', exact: true })).toBeVisible();
  await expectFit(page);
  await page.getByRole('button', { name: 'Complete authentication', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`^${product.publicUrl}/payment/result\\?session_id=cs_test_`));
});

test('the link to cancel leads back, and nothing was paid', async ({ page }) => {
  const address = checkouts[2] ?? '';
  await page.goto(address);
  await page.getByRole('link', { name: 'Cancel and go back', exact: true }).click();
  await expect(page).toHaveURL(`${product.publicUrl}/payment/result?canceled=true`);
  await page.goto(address);
  await expect(page.getByRole('button', { name: 'Pay $10', exact: true })).toBeVisible();
});

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

test('a renewal is paid, and is in the history', async ({ page }) => {
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

test('a failed renewal says so and keeps access; paid with another card, everything is active again', async ({
  page,
}) => {
  await subscribeToBasic(page, 'fails@souk.test', laterDeclinedCard);
  await expect(subscriptions(page)).toContainText('active');
  await passDays(32);
  const notice = page.getByRole('alert').filter({ hasText: 'The last payment for Basic failed.' });
  await expect(async () => {
    await page.reload();
    await expect(notice).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await expect(notice).toContainText('You keep access while the payment is retried.');
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

test('a plan whose renewal failed is ended immediately, and another card is chosen for the rest', async ({ page }) => {
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
