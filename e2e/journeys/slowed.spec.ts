import { rm } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { startProduct, type Product } from '../product.ts';
import { openScreen } from './open-screen.ts';

let product: Product;
test.beforeAll(async () => {
  // a sixth of it at once: a few pages
  const env = { API_REQUESTS_PER_MINUTE_ADDRESS: '120', STDIO: 'off' };
  product = await startProduct({ env });
});
test.afterAll(async () => {
  await product.kill('SIGTERM');
  await rm(product.dataDir, { recursive: true, force: true });
});

test('a page that asks too much waits as long as it is told, says so, and goes on by itself', async ({ page }) => {
  const answers: number[] = [];
  page.on('response', (response) => {
    if (new URL(response.url()).pathname === '/api/catalogue/servers') answers.push(response.status());
  });
  await openScreen(page, `${product.publicUrl}/`);
  answers.splice(0);
  // as if somebody else behind the same address had asked too much just then
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
  await expect(page.getByText(/This page goes on by itself in (a second|\d+ seconds)\./)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Travel', exact: true })).toBeVisible();
  expect([answers[0], answers.at(-1)]).toEqual([429, 200]);
});
