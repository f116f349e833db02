import type { PaymentSession } from '@souk/contract/billing/payments.ts';
import type { Locator, Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { changeCatalogue, failCalls } from './catalogue-answer.ts';
import { changeOwned } from './offers-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

const id = 'cs_test_of_twenty_and_more_characters';
const sessionPath = `**/api/billing/session/${id}`;
const titleOf = (page: Page) => page.getByRole('heading', { level: 1 });
const alertOf = (page: Page) => page.getByRole('main').getByRole('alert');

const session: PaymentSession = {
  sessionId: id,
  status: 'complete',
  paymentStatus: 'paid',
  reason: null,
  planId: null,
  amountTotal: 2000,
  currency: 'usd',
  customerEmail: 'payer@souk.test',
  metadata: { type: 'credits', mcpId: null },
};

/**
 * Opens the result page as a signed-in user, with the page's clock stopped and the broker's result prepared, so that no
 * journey waits.
 */
async function comeBack(page: Page, email: string, change: () => Partial<PaymentSession>): Promise<void> {
  await page.clock.install();
  await openSignedIn(page, '/marketplace', email);
  await routeNow(page, sessionPath, (route) =>
    route.fulfill({ json: { success: true, data: { ...session, ...change() } } }),
  );
  await page.clock.pauseAt(new Date(Date.now() + 5_000));
}

/** Waits for an element: a timer renders the result, and the page leaves after three seconds. */
const drawn = (page: Page, what: Locator) =>
  expect(async () => {
    await page.clock.runFor(20);
    await expect(what).toBeVisible({ timeout: 500 });
  }).toPass();

test('[PAY-20] [PAY-22] [PAY-23] [PAY-24] canceled is read first, links to plans and marketplace, notifies no other tab and stays', async ({
  page,
}) => {
  await page.clock.install();
  await page.goto('/payment/result?canceled=true');
  await expect(titleOf(page)).toHaveText('Payment Canceled');
  await expect(page.getByText('Your payment was canceled. No charges were made.')).toBeVisible();
  const main = page.getByRole('main');
  await expect(main.getByRole('link', { name: 'View Plans', exact: true })).toHaveAttribute('href', '/plans');
  await expect(main.getByRole('link', { name: 'Browse Servers', exact: true })).toHaveAttribute('href', '/marketplace');
  expect(await page.evaluate(() => localStorage.getItem('souk.subscription-updated'))).toBeNull();
  await page.clock.runFor(10_000);
  await expect(page).toHaveURL(/\/payment\/result\?canceled=true$/);
});

test('[PAY-19] [PAY-40] [PAY-41] without an id the payment page is an error, with links, at both its addresses', async ({
  page,
}) => {
  for (const [fact, path] of [
    ['[GEN-24]', '/payment/result'],
    ['[GEN-25]', '/purchase/success'],
  ] as const) {
    await test.step(`${fact} ${path}`, async () => {
      await page.goto(path);
      await expect(alertOf(page)).toHaveText('ErrorMissing session ID');
      await expect(page.getByRole('link', { name: 'Contact support', exact: true })).toHaveAttribute(
        'href',
        'mailto:support@souk.test',
      );
      await page.getByRole('main').getByRole('link', { name: 'Back to Home', exact: true }).click();
      await expect(page).toHaveURL(/\/$/);
    });
  }
  await test.step('a visitor with an id is asked to sign in', async () => {
    await page.goto(`/payment/result?session_id=${id}`);
    await expect(alertOf(page)).toHaveText('ErrorAuthentication required. Please log in.');
    await expect(page.getByRole('main').getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
  });
});

test('[PAY-18] [PAY-21] [PAY-26] [PAY-27] success=true in the address proves nothing: the page polls until the session is paid', async ({
  page,
}) => {
  let asked = 0;
  let isPaid = false;
  await comeBack(page, 'asks@souk.test', () => {
    asked += 1;
    return isPaid ? {} : { paymentStatus: 'unpaid', status: 'open' };
  });
  await page.goto(`/payment/result?session_id=${id}&success=true`);
  await expect(titleOf(page)).toHaveText('Checking your payment…');
  await expect.poll(() => asked).toBe(1);
  await page.clock.runFor(1_000);
  await expect.poll(() => asked).toBe(2);
  await expect(titleOf(page)).toHaveText('Checking your payment…');
  isPaid = true;
  await page.clock.runFor(1_000);
  await expect(titleOf(page)).toHaveText('Payment Successful!');
});

test('a paid plan says what happens to the rentals that it includes', async ({ page }) => {
  await comeBack(page, 'has-an-overlap@souk.test', () => ({ metadata: { type: 'subscription', mcpId: null } }));
  const endDate = '2027-01-15T00:00:00.000Z';
  const common = { source: 'payment' as const, charge: null, chargeIfResumed: null };
  const rental = { ...common, type: 'monthly', startDate: endDate, endDate, features: [], isOffered: true };
  await changeOwned(page, (answer) => ({
    ...answer,
    subscription: {
      ...answer.subscription,
      subscriptions: [
        {
          ...common,
          id: 'sub-1',
          planName: 'Pro',
          mcpId: 'pro',
          tier: 'T2',
          type: 'subscription',
          status: 'active',
          currentPeriodEnd: endDate,
          nextPlanId: null,
          nextTier: null,
          pendingPlanId: null,
          pendingUntil: null,
          renewal: null,
          priceChange: null,
        },
      ],
      rentals: [
        { ...rental, id: 'a', mcpId: 'ended', name: 'Ended', tier: 'T2', status: 'canceled' },
        {
          ...rental,
          id: 'b',
          mcpId: 'kept',
          name: 'Kept',
          tier: 'T1',
          status: 'active',
          charge: { amountCents: 900, currency: 'USD', at: endDate },
        },
        { ...rental, id: 'c', mcpId: 'top', name: 'Top', tier: 'T3', status: 'active' },
      ],
    },
  }));
  await page.goto(`/payment/result?session_id=${id}`);
  const said = page.getByRole('main').getByRole('status');
  // a timer renders the result; the page leaves after three seconds
  await expect(async () => {
    await page.clock.runFor(20);
    await expect(said).toHaveCount(3, { timeout: 500 });
  }).toPass();
  await expect(said).toHaveText([
    /^Payment Successful!/,
    'You pay twice for Kept: your Pro plan includes it, and its rental renews on Jan 15, 2027 for $9, until you cancel it in Billing.',
    'The rental of Ended is canceled: you keep it until Jan 15, 2027, and it is not charged again. Your Pro plan includes Ended.',
  ]);
});

test('[PAY-30] [PAY-31] [PAY-32] [PAY-33] once paid, the page notifies other tabs for a second, and leaves after three', async ({
  page,
}) => {
  await comeBack(page, 'tells-tabs@souk.test', () => ({}));
  const other = await page.context().newPage();
  await other.goto('/marketplace');
  await other.evaluate(() => {
    window.addEventListener('storage', ({ key, newValue }) => {
      if (key !== 'souk.subscription-updated') return;
      const { dataset } = document.documentElement;
      dataset['heard'] = `${dataset['heard'] ?? ''} ${newValue === null ? 'removed' : 'written'}`;
    });
  });
  await page.goto(`/payment/result?session_id=${id}`);
  await expect(titleOf(page)).toHaveText('Payment Successful!');
  await expect(other.locator('html')).toHaveAttribute('data-heard', ' written');
  await page.clock.runFor(999);
  expect(await page.evaluate(() => localStorage.getItem('souk.subscription-updated'))).not.toBeNull();
  await page.clock.runFor(1);
  await expect(other.locator('html')).toHaveAttribute('data-heard', ' written removed');
  await page.clock.runFor(1_999);
  await expect(page).toHaveURL(/\/payment\/result/);
  await page.clock.runFor(1);
  // the page that shows the balance
  await expect(page).toHaveURL(/\/dashboard\?tab=billing$/);
});

/** Purchases, each with the text of its box, the target of its one link, and the page that opens automatically. */
const paid = [
  [
    '[PAY-34]',
    { type: 'rental', mcpId: 'travel-pro' },
    [
      'Your rental has started',
      'The tools of the service are in your link. Your rental renews each month until you cancel.',
    ],
    'Start Using Service',
    '/service/travel-pro',
    'tab=services&show=own',
  ],
  [
    '[PAY-35]',
    { type: 'credits', mcpId: null },
    ['Your credits are here', 'Credits never expire, and pay for the calls that have a price.'],
    'View Credit Balance',
    '/dashboard?tab=billing',
    'tab=billing',
  ],
  [
    '[PAY-36]',
    { type: 'subscription', mcpId: null },
    ['Your plan has started', 'Your plan renews each month until you cancel.'],
    'Manage Subscription',
    '/dashboard?tab=billing',
    'tab=services&show=plan',
  ],
  [
    '[PAY-37]',
    { type: 'rental', mcpId: null },
    ['Your rental has started'],
    'Go to Dashboard',
    '/dashboard',
    'tab=services&show=own',
  ],
] as const;

test('[PAY-25] [PAY-38] a purchase shows its amount, the beginning of its id, its box, and one link', async ({
  page,
}) => {
  let metadata: PaymentSession['metadata'] = session.metadata;
  await comeBack(page, 'leads-on@souk.test', () => ({ metadata }));
  const main = page.getByRole('main');
  for (const [fact, paidFor, box, name, href, landing] of paid) {
    await test.step(`${fact} ${paidFor.type} of ${paidFor.mcpId ?? 'no server'}: only '${name}'`, async () => {
      metadata = paidFor;
      await page.goto(`/payment/result?session_id=${id}`);
      await expect(titleOf(page)).toHaveText('Payment Successful!');
      await expect(page.getByText('cs_test_of_twenty_an…', { exact: true })).toBeVisible();
      await expect(page.getByText('$20', { exact: true })).toBeVisible();
      await expect(main.getByRole('heading', { level: 2 })).toHaveText([box[0]]);
      for (const text of box) await drawn(page, main.getByText(text, { exact: true }));
      await expect(main, 'the demo sends no mail').not.toContainText('Receipt to');
      await expect(main.getByRole('link')).toHaveText([name, 'Contact support']);
      await expect(main.getByRole('link', { name, exact: true })).toHaveAttribute('href', href);
      await page.clock.runFor(3_000);
      await expect.poll(() => page.url().split('/dashboard?')[1]).toBe(landing);
    });
  }
  await test.step('a rental of a service that is unreachable says when its tools appear', async () => {
    metadata = { type: 'rental', mcpId: 'travel-pro' };
    await changeCatalogue(page, ({ servers, ...catalogue }) => ({
      ...catalogue,
      servers: servers.map((one) => ({ ...one, status: 'disconnected' as const })),
      capabilities: [],
    }));
    await page.goto(`/payment/result?session_id=${id}`);
    const text =
      'The tools of Travel Pro appear once it can be reached. Your rental renews each month until you cancel.';
    await drawn(page, page.getByText(text, { exact: true }));
  });
});

test('[PAY-28] [PAY-29] [PAY-32] [PAY-37] after 15 seconds without a result the status is unknown; then the dashboard opens', async ({
  page,
}) => {
  await comeBack(page, 'unknown@souk.test', () => ({ paymentStatus: 'unpaid', status: 'open' }));
  await page.addInitScript(() => {
    const wait = window.setTimeout.bind(window);
    let waits = 0;
    const counted = (handler: TimerHandler, delayMs?: number) => {
      if (delayMs === 1_000) document.documentElement.dataset['waits'] = String(++waits);
      return wait(handler, delayMs);
    };
    Object.assign(window, { setTimeout: counted });
  });
  await page.goto(`/payment/result?session_id=${id}`);
  await expect(titleOf(page)).toHaveText('Checking your payment…');
  // a second passes once the page waits for it: each call is answered before the next one
  for (let second = 1; second <= 14; second += 1) {
    await expect(page.locator('html')).toHaveAttribute('data-waits', String(second));
    await page.clock.runFor(1_000);
  }
  // the fifteenth second has two waits of a second: the end of the polling, and, after the response, the next call
  await expect(page.locator('html')).toHaveAttribute('data-waits', '16');
  await expect(titleOf(page)).toHaveText('Checking your payment…');
  await page.clock.runFor(1_000);
  await expect(titleOf(page)).toHaveText('Payment Status Unknown');
  await expect(page.getByText('We are processing your payment. Please check your account for updates.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Go to Dashboard', exact: true })).toHaveAttribute('href', '/dashboard');
  await page.clock.runFor(3_000);
  await expect(page).toHaveURL(/\/dashboard$/);
});

test("[PAY-32] [PAY-39] a failed fetch shows the server's error, or the status text; the page stays", async ({
  page,
}) => {
  await comeBack(page, 'failing@souk.test', () => ({}));
  const heal = await failCalls(page, sessionPath, { status: 404, message: 'Not found' });
  await page.goto(`/payment/result?session_id=${id}`);
  await expect(alertOf(page)).toHaveText('ErrorNot found');
  await page.clock.runFor(10_000);
  await expect(page).toHaveURL(/\/payment\/result/);
  await heal();
  await routeNow(page, sessionPath, (route) => route.fulfill({ status: 502, body: '<html>' }));
  await page.reload();
  await expect(alertOf(page)).toHaveText('ErrorFailed to fetch payment details: Bad Gateway');
});

test('a payment that failed or expired says that nothing was charged, and a duplicate payment that it was refunded', async ({
  page,
}) => {
  let change: Partial<PaymentSession> = { paymentStatus: 'failed' };
  await comeBack(page, 'declined@souk.test', () => change);
  await page.goto(`/payment/result?session_id=${id}&success=true`);
  await expect(alertOf(page)).toHaveText('ErrorThe payment failed. You were not charged.');
  change = { paymentStatus: 'unpaid', status: 'expired' };
  await page.reload();
  await expect(alertOf(page)).toHaveText('ErrorThis payment has expired. You were not charged.');
  change = { paymentStatus: 'refunded', metadata: { type: 'subscription', mcpId: null } };
  await page.reload();
  await expect(alertOf(page)).toHaveText(
    'Payment RefundedYou had a plan already, or this plan is no longer offered, so this payment was refunded.',
  );
  for (const [reason, status, text] of [
    ['had_access', 'complete', 'You had a plan already, so this payment was refunded.'],
    [
      'paid_twice',
      'complete',
      "You paid twice for a plan. We kept your other payment and refunded this one in full: it adds nothing and won't be charged again. Your bank may take a few days to show the refund.",
    ],
    ['no_longer_offered', 'complete', 'What you paid for is no longer offered, so this payment was refunded.'],
    ['price_changed', 'complete', 'The price had changed before you paid, so this payment was refunded.'],
    [
      'overlap_changed',
      'complete',
      'A service that you rent is now included in this plan, and you had not been asked about it, so this payment was refunded.',
    ],
    ['had_access', 'expired', 'You had a plan already, so this payment page was closed. You were not charged.'],
    [
      'paid_twice',
      'expired',
      'You have paid for this plan already, so this payment page was closed. You were not charged.',
    ],
    [
      'no_longer_offered',
      'expired',
      'This plan is no longer offered, so this payment page was closed. You were not charged.',
    ],
  ] as const) {
    const paymentStatus = status === 'expired' ? 'unpaid' : 'refunded';
    change = { reason, status, paymentStatus, metadata: { type: 'subscription', mcpId: null } };
    await page.reload();
    await expect(alertOf(page)).toHaveText(
      `${status === 'expired' ? 'Payment Page Closed' : 'Payment Refunded'}${text}`,
    );
    const toBilling = page.getByRole('main').getByRole('link', { name: 'Billing', exact: true });
    await expect(toBilling).toHaveCount(
      reason === 'paid_twice' || (reason === 'had_access' && status === 'expired') ? 1 : 0,
    );
  }
});

test('axe finds nothing on the results, and nothing overflows on a phone', async ({ page }) => {
  // keeps the page open: axe takes time, and does not run while the clock is stopped
  await page.addInitScript(() => {
    const start = window.setTimeout.bind(window);
    window.setTimeout = Object.assign(
      (work: () => void, delayMs?: number) => start(work, delayMs === 3_000 ? 1e9 : delayMs),
      window.setTimeout,
    );
  });
  await openSignedIn(page, '/marketplace', 'looked-at@souk.test');
  let change: Partial<PaymentSession> = {};
  await routeNow(page, sessionPath, (route) =>
    route.fulfill({ json: { success: true, data: { ...session, ...change } } }),
  );
  const look = async (path: string, title: string) => {
    await page.goto(path);
    await expect(titleOf(page)).toHaveText(title);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await expectNoAxeFindings(page);
  };
  await look(`/payment/result?session_id=${id}`, 'Payment Successful!');
  change = { paymentStatus: 'failed' };
  await look(`/payment/result?session_id=${id}`, 'Error');
  await look('/payment/result?canceled=true', 'Payment Canceled');
});
