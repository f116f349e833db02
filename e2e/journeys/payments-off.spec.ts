import { rm } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { startProduct, type Product } from '../product.ts';
import { untilAllConnected } from '../until-all-connected.ts';
import { callThroughLink } from './call-through-link.ts';
import { openScreen } from './open-screen.ts';
import { signIn } from './sign-in.ts';

let product: Product;
test.beforeAll(async () => {
  product = await startProduct({ env: { PAYMENTS: 'off', STDIO: 'off' } });
  await untilAllConnected(product.publicUrl, 5);
});
test.afterAll(async () => {
  await product.kill('SIGTERM');
  await rm(product.dataDir, { recursive: true, force: true });
});

test('where nothing is sold there are no plans, prices or buttons that buy, and calls cost nothing', async ({
  page,
}) => {
  const open = async (path: string) => {
    await openScreen(page, `${product.publicUrl}${path}`);
    await expect(page.getByRole('link', { name: 'Plans', exact: true })).toHaveCount(0);
    await expect(page.getByText('Demo payments')).toHaveCount(0);
    await expect(
      page.getByRole('main').getByText(/\$\d|Purchase\b|Buy|credits? per call|See plans|View plans/),
    ).toHaveCount(0);
  };
  await open('/');
  await page.getByRole('button', { name: 'What does it cost?', exact: true }).click();
  await expect(page.getByText('Nothing. Every call is free')).toBeVisible();
  await open('/plans');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found');
  await expect(page.getByText('Nothing is sold here')).toBeVisible();
  await open('/marketplace');
  await expect(page.getByRole('heading', { name: 'Travel Pro', exact: true })).toBeVisible();
  await signIn(page, 'member@souk.test');
  await open('/service/travel-pro');
  await expect(page.getByText('Your administrator gives access to this service.')).toBeVisible();
  await open('/dashboard?tab=services');
  await expect(page.getByRole('article', { name: 'Travel Pro', exact: true })).toContainText('Not Owned');
  await open('/dashboard?tab=billing');
  await expect(page.getByText('Nothing is sold here: every call is free')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No Transaction History', exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Credits', exact: true })).toHaveCount(0);
  const distance = await callThroughLink(page, product.publicUrl, 'travel__distance', { from: 'ZRH', to: 'JFK' });
  expect(distance).toContain('6309 km');
});
