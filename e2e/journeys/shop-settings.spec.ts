import { rm } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { startProduct, type Product } from '../product.ts';
import { untilAllConnected } from '../until-all-connected.ts';
import { callThroughLink } from './call-through-link.ts';
import { openScreen } from './open-screen.ts';
import { signIn } from './sign-in.ts';

// A shop that sells nothing, with a low limit of requests for an address.

let product: Product;
test.beforeAll(async () => {
  // the burst is a sixth of it: a few pages
  const env = { PAYMENTS: 'off', STDIO: 'off', API_REQUESTS_PER_MINUTE_ADDRESS: '600' };
  product = await startProduct({ env });
  await untilAllConnected(product.publicUrl, 5);
});
test.afterAll(async () => {
  await product.kill('SIGTERM');
  await rm(product.dataDir, { recursive: true, force: true });
});

test('a shop that sells nothing has no plans, prices or buy buttons, and calls cost nothing', async ({ page }) => {
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

test('a page that exceeds the limit waits as long as requested, says so, and continues automatically', async ({
  page,
}) => {
  const answers: number[] = [];
  page.on('response', (response) => {
    if (new URL(response.url()).pathname === '/api/catalogue/servers') answers.push(response.status());
  });
  await openScreen(page, `${product.publicUrl}/`);
  answers.splice(0);
  // as if another user of the same address had exceeded the limit just then
  await page.route(
    '**/api/catalogue/servers*',
    async (route) => {
      let response = await route.fetch();
      while (response.status() !== 429) response = await route.fetch();
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await page.getByRole('link', { name: 'Marketplace', exact: true }).first().click();
  await expect(page.getByText(/This page continues automatically in (a second|\d+ seconds)\./)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Travel', exact: true })).toBeVisible();
  expect([answers[0], answers.at(-1)]).toEqual([429, 200]);
});
