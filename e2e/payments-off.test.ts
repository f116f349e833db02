import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  getRentalOptions,
  getSubscription,
  listCreditPackages,
  listPlans,
} from '../packages/contract/src/billing/billing.ts';
import { getCapabilities } from '../packages/contract/src/catalogue/catalogue.ts';
import { createClient } from '../packages/contract/src/client.ts';
import {
  cancelSubscription,
  getOpenPayment,
  getPaymentSession,
  purchaseCredits,
  startCheckout,
} from '../packages/contract/src/billing/payments.ts';
import { connectLegacy } from '../apps/broker/src/testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '../apps/broker/src/testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '../apps/broker/src/testing/people/scripted-browser.ts';
import { newDataDir, runToEnd, startProduct, type Product } from './product.ts';

// The product of a company that sells nothing: PAYMENTS=off.

let dataDir: string;
let server: HttpFixture;
let product: Product;
let accessToken: string;
beforeAll(async () => {
  server = await startHttpFixture();
  dataDir = await newDataDir();
  const own = join(dataDir, 'own');
  await mkdir(own);
  await writeFile(join(own, 'shelf.json'), JSON.stringify(shelf()));
  await writeFile(join(own, 'safe.json'), JSON.stringify({ ...shelf(), id: 'safe', billing: { tier: 'T2', rental } }));
  product = await startProduct({
    dataDir,
    env: {
      PAYMENTS: 'off',
      UPSTREAM_ALLOW_ADDRESSES: server.address,
      CATALOGUE_DIR: own,
      BUNDLED_CATALOGUE: 'off',
    },
  });
  ({ accessToken } = await new ScriptedBrowser(product.publicUrl).signInWeb({ email: 'ann@souk.test' }));
});
afterAll(async () => {
  await product?.kill('SIGTERM');
  await server?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const rental = { price: 900, currency: 'USD' };
const shelf = () => ({
  id: 'shelf',
  name: 'Shelf',
  serviceType: 'mcp',
  version: '1.0.0',
  description: 'A server of the company.',
  category: 'data',
  connection: { type: 'http', url: server.url },
  billing: { tier: 'T0', rental, toolCosts: { echo: 5 } },
});
const endpoints = [
  listPlans,
  listCreditPackages,
  getCapabilities,
  getRentalOptions,
  getSubscription,
  startCheckout,
  purchaseCredits,
  getPaymentSession,
  getOpenPayment,
  cancelSubscription,
] as const;
const api = () => createClient(endpoints, { baseUrl: product.publicUrl, fetch, token: async () => accessToken });

test('nothing has a price at a payment provider, no credits are sold, and no service is rented', async () => {
  const { plans } = await api().listPlans();
  expect(plans.map(({ planId }) => planId)).toContain('pro');
  expect(plans.filter(({ priceId }) => priceId !== null)).toEqual([]);
  expect((await api().listCreditPackages()).packages).toEqual([]);
  expect(JSON.stringify(await api().getCapabilities())).not.toContain('stripePriceId');
  const options = await api().getRentalOptions({ params: { mcpId: 'safe' } });
  expect(options).toMatchObject({ rental: null, access: { hasAccess: false } });
});

test('checkout and everything after it responds that payments are off, and there is no provider', async () => {
  const off = { status: 404, code: 'payments_off' };
  for (const body of [
    { type: 'rental', mcpId: 'safe', period: 'monthly' },
    { type: 'subscription', planId: 'pro' },
    { type: 'credit', planId: 'credits-500' },
  ] as const)
    await expect(api().startCheckout({ body })).rejects.toMatchObject(off);
  await expect(api().purchaseCredits({ body: { stripePriceId: 'price_x' } })).rejects.toMatchObject(off);
  // a plan that an administrator granted can be canceled, and this user has none
  const notFound = { status: 404, code: 'not_found' };
  await expect(api().cancelSubscription({ params: { id: 'x' } })).rejects.toMatchObject(notFound);
  await expect(api().getOpenPayment({ params: { id: 'x' } })).rejects.toMatchObject(off);
  await expect(api().getPaymentSession({ params: { sessionId: 'cs_test_x' } })).rejects.toMatchObject({ status: 404 });
  for (const path of ['/api/webhooks/stripe', '/dev-stripe/pay/cs_test_x'])
    expect((await fetch(product.publicUrl + path, { method: 'POST', body: '{}' })).status).toBe(404);
  const souk = await runToEnd(['apps/broker/src/operator/souk.ts', 'reconcile'], { DATA_DIR: dataDir });
  expect(souk.code).not.toBe(0);
});

test('a tool that has a price is free', async () => {
  const { stdout } = await runToEnd(
    ['apps/broker/src/operator/souk.ts', 'token', 'create', '--email', 'ann@souk.test', '--name', 'laptop'],
    { DATA_DIR: dataDir },
  );
  const client = await connectLegacy(`${product.publicUrl}/mcp`, stdout.trim());
  for (const text of ['one', 'two', 'three']) {
    const result = await client.callTool({ name: 'shelf__echo', arguments: { text } });
    expect(result).toMatchObject({ content: [{ text }] });
    expect(result.isError ?? false).toBe(false);
  }
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain('safe__echo');
  await client.close();
  expect((await api().getSubscription()).credits).toMatchObject({ balance: 0, debt: 0, held: 0 });
});
