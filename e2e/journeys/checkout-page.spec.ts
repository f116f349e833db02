import { expect, test, type Page } from '@playwright/test';
import { forkProduct, type ForkedProduct } from '../forked-product.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { expectOwnIcon } from './own-icon.ts';

let product: ForkedProduct;
let checkouts: string[];
const violations: string[] = [];

test.beforeAll(async () => {
  product = await forkProduct(new URL('../checkout-product.ts', import.meta.url));
  checkouts = [product.ready['checkouts']].flat().map(String);
});
test.afterAll(() => product.close());
test.beforeEach(({ page }) => {
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) violations.push(message.text());
  });
});
test.afterEach(() => expect(violations).toEqual([]));

/** Fits without scrolling sideways on a phone and on a desk, and axe finds nothing. */
async function expectFit(page: Page): Promise<void> {
  await expectOwnIcon(page);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await expectNoAxeFindings(page);
  }
}

test('a person pays with the keyboard alone, and comes back with the id of the session', async ({ page }) => {
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

test('what is wrong stands at its field; a declined card says so; 3-D Secure is asked; then the person subscribes', async ({
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
