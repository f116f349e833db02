import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { payOnPage } from '@souk/stripe-sandbox/testing';
import { listTransactions } from '../packages/contract/src/billing/billing-history.ts';
import { getSubscription } from '../packages/contract/src/billing/billing.ts';
import { createClient } from '../packages/contract/src/client.ts';
import { getUserProfile } from '../packages/contract/src/identity.ts';
import { startCheckout } from '../packages/contract/src/billing/payments.ts';
import { checkLedger } from '../apps/broker/src/features/billing/index.ts';
import { migrations } from '../apps/broker/src/migrations.ts';
import { migrate } from '../apps/broker/src/platform/db/migrate.ts';
import type { Database } from '../apps/broker/src/platform/db/database.ts';
import { openDatabase } from '../apps/broker/src/platform/db/open-database.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { ScriptedBrowser } from '../apps/broker/src/testing/people/scripted-browser.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';
import { newDataDir, runToEnd, startProduct, type Product } from './product.ts';

// The product as an operator runs it, but no webhook arrives: its database refuses to store one. Orders are ten minutes
// old from the beginning, because the reconciler leaves younger ones to their webhook. The second payment is never
// recorded completely: after its credits were granted, and before the commit, the database is busy until the broker is
// killed.

// the database exists before the first start, so that the start creates no key next to it
const MASTER_KEY = randomBytes(32).toString('base64url');

let dataDir: string;
let product: Product;
let buyer: Awaited<ReturnType<typeof newBuyer>>;
beforeAll(async () => {
  dataDir = await newDataDir();
  const db = await openOffline();
  await migrate(db, migrations);
  for (const [table, body] of [
    ['payment_events', `raise exception 'lost'`],
    ['checkout_orders', `new.created_at := new.created_at - interval '10 minutes'; return new`],
    ['transactions', `if exists (select from transactions) then loop end loop; end if; return new`],
  ]) {
    await db.query(`create function test_${table}() returns trigger language plpgsql as $$ begin ${body}; end $$`);
    await db.query(`create trigger test before insert on ${table} for each row execute function test_${table}()`);
  }
  await db.close();
  product = await start();
  buyer = await newBuyer();
});
afterAll(async () => {
  await product?.kill('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

const entries = async ({ query }: Pick<Database, 'query'>) => (await query('select delta from ledger_entries')).rows;
const openOffline = () => openDatabase({ databaseUrl: undefined, dataDir, log: createLog('silent'), migrations });
const start = (port?: number) =>
  startProduct({ dataDir, env: { BUNDLED_CATALOGUE: 'off', MASTER_KEY }, ...(port !== undefined && { port }) });
const souk = (...args: string[]) =>
  runToEnd(['apps/broker/src/operator/souk.ts', ...args], { DATA_DIR: dataDir, MASTER_KEY });

async function newBuyer() {
  const { publicUrl } = product;
  const { accessToken } = await new ScriptedBrowser(publicUrl).signInWeb({ email: 'ann@souk.test' });
  const endpoints = [startCheckout, getSubscription, listTransactions, getUserProfile] as const;
  const api = createClient(endpoints, { baseUrl: publicUrl, fetch, token: async () => accessToken });
  const { id: userId } = await api.getUserProfile();
  return {
    credits: async () => (await api.getSubscription()).credits.balance,
    purchases: async () =>
      (await api.listTransactions({ params: { userId }, query: { type: 'credit_purchase' } })).data.pagination.total,
    /** Pays for 500 credits on the provider's page. */
    async buy() {
      const { checkoutUrl } = await api.startCheckout({ body: { type: 'credit', planId: 'credits-500' } });
      const { status } = await payOnPage(checkoutUrl, '4242424242424242', {}, { origin: publicUrl });
      expect(status).toBe(303);
    },
  };
}

/** Whether a request that needs the database is answered. */
const answersSoon = () =>
  fetch(`${product.publicUrl}/readyz`, { signal: AbortSignal.timeout(1000) }).then(
    () => true,
    () => false,
  );

test('[CFG-31] npm run souk -- reconcile finds the payment whose webhook was lost, and grants the purchase once', async () => {
  await buyer.buy();
  expect(await buyer.credits()).toBe(0);
  const found = await souk('reconcile');
  expect(found).toMatchObject({ code: 0 });
  expect(found.stdout).toContain('1 open payments checked\n  1 were paid without our knowing');
  expect(await buyer.credits()).toBe(500);
  expect((await souk('reconcile')).stdout).toContain('0 open payments checked');
  expect(await buyer.credits()).toBe(500);
  expect(await buyer.purchases()).toBe(1);
});

test('after a kill -9 during the fulfillment of a payment and a restart, the purchase is granted once, and the credits add up', async () => {
  await buyer.buy();
  const interrupted = souk('reconcile');
  await waitUntil('the database to be busy with it', async () => !(await answersSoon()));
  await product.kill('SIGKILL');
  await interrupted;
  let db = await openOffline();
  expect(await entries(db)).toEqual([{ delta: 500 }]);
  await db.query('drop trigger test on transactions');
  await db.close();
  product = await start(Number(new URL(product.publicUrl).port));
  expect(await buyer.credits()).toBe(500);
  expect((await souk('reconcile')).stdout).toContain('1 were paid without our knowing');
  expect(await buyer.credits()).toBe(1000);
  expect(await buyer.purchases()).toBe(2);
  await product.kill('SIGTERM');
  db = await openOffline();
  expect(await checkLedger(db)).toEqual([]);
  expect(await entries(db)).toEqual([{ delta: 500 }, { delta: 500 }]);
  const { rows: orders } = await db.query('select status from checkout_orders');
  expect(orders).toEqual([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
  await db.close();
});
