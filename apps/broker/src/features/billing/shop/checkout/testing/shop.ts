import { createControlledSandbox, payOnPage, type ControlPlane } from '@souk/stripe-sandbox/testing';
import { getRentalOptions, getSubscription, listCreditPackages, listPlans } from '@souk/contract/billing/billing.ts';
import { getPaymentSession, purchaseCredits, startCheckout } from '@souk/contract/billing/payments.ts';
import { createClient } from '@souk/contract/client.ts';
import { getUserProfile } from '@souk/contract/identity.ts';
import type { Stripe } from 'stripe';
import { connectStripe } from '#testing/people/open-checkout.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTcpProxy, type TcpProxy } from '#testing/network/tcp-proxy.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '#testing/start-app.ts';

const endpoints = [
  startCheckout,
  purchaseCredits,
  getPaymentSession,
  getSubscription,
  getRentalOptions,
  listCreditPackages,
  listPlans,
  getUserProfile,
] as const;

/** A broker with a stand-in for Stripe whose webhooks the test controls. */
export type Shop = TestApp & {
  control: ControlPlane;
  /** The test's client, which bypasses the network below. */
  stripe: Stripe;
  /** Network between the broker and the stand-in. */
  network: TcpProxy;
  /** Address at which the stand-in serves its pages directly. */
  pages: string;
  /** Time by which the clock is ahead. */
  ahead: { ms: number };
};

export async function startShop(options: Omit<TestAppOptions, 'clock'> = {}): Promise<Shop> {
  const ahead = { ms: 0 };
  let control: ControlPlane | undefined;
  let network: TcpProxy | undefined;
  let direct = { host: '', port: 0 };
  const app = await startTestApp({
    ...options,
    clock: { now: () => Date.now() + ahead.ms },
    async createStripeSandbox(given) {
      const sandbox = await createControlledSandbox({ ...given, retryAfterMs: [20, 20, 50, 100, 200, 400] });
      ({ control } = sandbox);
      direct = { host: sandbox.host, port: sandbox.port };
      network = await startTcpProxy(direct);
      return { ...sandbox, host: '127.0.0.1', port: network.port };
    },
  });
  if (!control || !network || !app.stripeSandbox) throw new Error('the stand-in is not running');
  const wire = network;
  await app.billing.prices.synced();
  // jobs that continue if another change of the same user was running
  let run: Promise<unknown> | undefined;
  const jobs = setInterval(() => {
    const { subscriptions } = app.billing.payments ?? {};
    run ??= Promise.allSettled([subscriptions?.retryReadings(), subscriptions?.endWanted()]).then(
      () => (run = undefined),
    );
  }, 250);
  return {
    ...app,
    control,
    network: wire,
    pages: `http://${direct.host}:${direct.port}`,
    stripe: connectStripe({ ...app.stripeSandbox.access, ...direct }),
    ahead,
    async stop() {
      clearInterval(jobs);
      await run;
      await app.stop();
      await wire.close();
    },
  };
}

/** Waits until every event of the provider has been delivered or abandoned, and all of them are processed. */
export async function settle({ db, billing }: Pick<Shop, 'db' | 'billing'>): Promise<void> {
  await waitUntil('no event is in transit', async () => {
    const { rows } = await db.query(`select from stripe_sandbox.objects where kind = 'delivery' limit 1`);
    return rows.length === 0;
  });
  await billing.payments?.events.idle();
}

/**
 * Runs `work` while the work that `begin` starts is running, and returns the latter. Repeats both if a busy machine
 * took so long for `work` that the other ended first.
 */
export async function doWhile<T>(
  begin: () => Promise<T>,
  work: () => Promise<unknown>,
): Promise<{ underWay: Promise<T> }> {
  for (;;) {
    const state = { isOver: false };
    const underWay = begin().finally(() => (state.isOver = true));
    underWay.catch(() => {}); // reported where it is awaited
    await work();
    if (!state.isOver) return { underWay };
    await underWay;
  }
}

let people = 0;

/** Creates a user who owns nothing yet. */
export async function newBuyer({ publicUrl }: Pick<TestApp, 'publicUrl'>) {
  const email = `buyer-${(people += 1)}@souk.test`;
  const { accessToken } = await new ScriptedBrowser(publicUrl).signInWeb({ email });
  const api = createClient(endpoints, { baseUrl: publicUrl, fetch, token: async () => accessToken });
  const { id: userId } = await api.getUserProfile();
  return {
    email,
    userId,
    accessToken,
    api,
    credits: async () => (await api.getSubscription()).credits.balance,
    session: async (sessionId: string) => (await api.getPaymentSession({ params: { sessionId } })).data,
  };
}

/**
 * Pays on the provider's page with an accepted card, and confirms the bank's 3-D Secure. The page stays reachable while
 * the broker's network is down.
 * @param fields further fields of the page: country, tax_id, code
 */
export async function pay(
  shop: Shop,
  checkoutUrl: string,
  card = '4242424242424242',
  fields: Record<string, string> = {},
): Promise<string> {
  const page = checkoutUrl.replace(shop.publicUrl, shop.pages);
  const { status, location, text } = await payOnPage(page, card, fields, { origin: shop.publicUrl });
  if (status !== 303 || location === null) throw new Error(`not paid: ${status} ${text}`);
  if (!location.endsWith('/authenticate')) return location;
  const bank = await fetch(`${page}/authenticate`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ answer: 'complete' }),
    headers: { origin: shop.publicUrl },
  });
  return bank.headers.get('location') ?? '';
}
