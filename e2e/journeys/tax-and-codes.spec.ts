import { rm } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { startProduct, type Product } from '../product.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { goodCard, goToPayment, payWithCard } from './pay-with-card.ts';
import { openSignedIn } from './sign-in.ts';

// A shop where tax is added to prices and promotion codes are taken, by its settings.

let product: Product;
test.beforeAll(async () => {
  product = await startProduct({
    env: { BUNDLED_CATALOGUE: 'off', STDIO: 'off', STRIPE_TAX: '1', PROMOTION_CODES: '1' },
  });
});
test.afterAll(async () => {
  await product.kill('SIGTERM');
  await rm(product.dataDir, { recursive: true, force: true });
});

test('a plan is paid with tax and a code: page, result, history and Billing say how each amount comes about, and an administrator refunds it', async ({
  browser,
}) => {
  const email = 'taxed@souk.test';
  const open = async (who: string, path: string) => {
    const context = await browser.newContext({ baseURL: product.publicUrl, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await openSignedIn(page, path, who);
    return page;
  };
  const person = await open(email, '/plans');
  const before = 'Tax is added at payment where it applies. You can enter a promotion code at payment.';
  await expect(person.getByRole('main').getByText(before, { exact: true }).first()).toBeVisible();
  await person.getByRole('button', { name: 'Subscribe to Pro', exact: true }).click();
  const offer = person.getByRole('alertdialog', { name: 'Subscribe to Pro?', exact: true });
  await expect(offer).toContainText('$19/month plus tax');
  await expect(offer).toContainText('Renews at $19/month plus tax until you cancel.');
  await expect(offer).toContainText(before);
  await expectNoAxeFindings(person);
  await goToPayment(person);

  // nothing is charged before the address is known
  await payWithCard(person, goodCard);
  await expect(person.getByRole('alert')).toHaveText('Choose a country.');
  await person.getByLabel('Country').selectOption({ label: 'Germany' });
  await person.getByLabel('Postal code').fill('10115');
  await person.getByRole('button', { name: 'Update total', exact: true }).click();
  const bill = person.getByRole('list').first();
  await expect(bill).toContainText(/Tax, DEMO rate of 19 %\s*\$3\.61/);
  const code = person.getByLabel('Code', { exact: true });
  for (const [typed, refusal] of [
    ['NOSUCHCODE', 'This code is invalid.'],
    ['DEMOEXPIRED', 'This code has expired.'],
    ['DEMOUSEDUP', 'This code has been used up.'],
  ] as const) {
    await code.fill(typed);
    await code.press('Enter');
    await expect(person.getByRole('alert')).toHaveText(refusal);
  }
  await code.fill('demo50');
  await person.getByRole('button', { name: 'Apply', exact: true }).click();
  await expect(bill).toContainText(
    /Subtotal\s*\$19\s*Discount\s*-\$9\.50\s*Tax, DEMO rate of 19 %\s*\$1\.81\s*Total due\s*\$11\.31/,
  );
  await expectNoAxeFindings(person);
  await payWithCard(person, goodCard);
  await expect(person.getByRole('heading', { level: 1 })).toHaveText('Payment Successful!');
  const facts = person.getByRole('main').locator('dl');
  await expect(facts).toContainText(/Subtotal\$19Discount-\$9\.50Tax\$1\.81Paid\$11\.31/);
  await expectNoAxeFindings(person);

  await person.getByRole('link', { name: 'Manage Subscription', exact: true }).click();
  const paid = '$19 - $9.50 discount + $1.81 tax = $11.31';
  const history = person.getByRole('region', { name: 'Billing History', exact: true });
  await expect(history.getByRole('row').filter({ hasText: 'Pro plan' })).toContainText(paid);
  const upcoming = person.getByRole('region', { name: 'Upcoming charges', exact: true });
  await expect(upcoming.getByRole('row').filter({ hasText: 'Pro plan' })).toContainText(
    /\$19 \+ \$3\.61 tax = \$22\.61.*\$22\.61$/s,
  );
  const receipt = person.waitForEvent('popup');
  await history.getByRole('link', { name: /^Receipt/ }).click();
  await expect((await receipt).getByRole('main')).toContainText(
    /Subtotal\s*\$19\s*Discount\s*-\$9\.50\s*Tax\s*\$1\.81/,
  );
  await (await receipt).close();
  await expectNoAxeFindings(person);

  const admin = await open('admin@souk.test', '/admin?tab=users');
  await admin.getByRole('button', { name: /taxed/ }).first().click();
  await admin.getByRole('dialog').getByRole('link', { name: 'Open full page', exact: true }).click();
  await admin.getByRole('tab', { name: 'Payments', exact: true }).click();
  const payment = admin
    .getByRole('table', { name: 'Payments', exact: true })
    .getByRole('row')
    .filter({ hasText: 'Pro plan' });
  await expect(payment).toContainText(paid);
  await admin.goto('/admin?tab=overview');
  const revenue = admin.getByRole('region', { name: 'Last 30 days', exact: true });
  await expect(revenue).toContainText('Without tax. $1.81 of tax was paid with it');
  await expect(revenue.getByText('$9.50', { exact: true }).first()).toBeVisible();
  await admin.goBack();
  await payment.getByRole('button', { name: /^Refund/ }).click();
  const refund = admin.getByRole('alertdialog', { name: 'Refund payment', exact: true });
  await expect(refund).toContainText(`${paid} was paid.`);
  await refund.getByLabel(/^Amount/).fill('19');
  await expect(refund).toContainText('At most $11.31 can be refunded.');
  await refund.getByLabel(/^Amount/).fill('11.31');
  await refund.getByLabel('Reason').fill('asked for it');
  await refund.getByRole('button', { name: 'Refund $11.31', exact: true }).click();
  await expect(admin.getByText(`$11.31 is refunded to ${email}.`)).toBeVisible();
  const back = '$9.50 + $1.81 tax = $11.31';
  await expect(admin.getByRole('row').filter({ hasText: back })).toContainText('-$11.31');
  await expectNoAxeFindings(admin);

  await person.reload();
  await expect(history.getByRole('row').filter({ hasText: back })).toContainText('+$11.31');
});
