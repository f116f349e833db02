import { expect, type Page } from '@playwright/test';

/** Test cards of the sandbox: one pays, one is declined. */
export const goodCard = '4242 4242 4242 4242';
export const declinedCard = '4000 0000 0000 0002';
/** Pays now, and is declined when it is charged later. */
export const laterDeclinedCard = '4000 0000 0000 0341';
/** Requires confirmation by its owner for each payment, on the payment page and later. */
export const alwaysAuthenticatedCard = '4000 0027 6000 3184';

/** Fills in the payment page, like a user who was sent there, and presses its button. */
export async function payWithCard(page: Page, card: string): Promise<void> {
  await expect(page).toHaveURL(/\/dev-stripe\//);
  await page.getByLabel('Card number').fill(card);
  await page.getByLabel('Expiry').fill('12/34');
  await page.getByLabel('Security code').fill('123');
  await page.getByLabel('Name on card').fill('Ada Lovelace');
  await page.getByRole('button', { name: /^(Pay|Subscribe for|Save card)/ }).click();
}

/** Pays, and waits for the result on our own page. */
export async function payAndReturn(page: Page): Promise<void> {
  await payWithCard(page, goodCard);
  await page.waitForURL(/\/(payment\/result|purchase\/success)\?/);
  const resultPage = page.url();
  const verdict = page.getByRole('heading', { level: 1, name: /^Payment (Successful!|Status Unknown)$/ });
  // the page polls for 15 s, and a busy machine may fulfill the order later
  while ((await verdict.textContent()) !== 'Payment Successful!') await page.goto(resultPage);
}

/** Subscribes to a plan on the plans page: its button, then the dialog with the price. */
export async function subscribeTo(page: Page, plan: string): Promise<void> {
  await page.getByRole('button', { name: `Subscribe to ${plan}`, exact: true }).click();
  await goToPayment(page);
}

/** Continues to the payment from the open dialog of a plan or a rental. */
export async function goToPayment(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue to payment', exact: true }).click();
}
