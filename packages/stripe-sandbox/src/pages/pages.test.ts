import type { Stripe } from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { payOnPage } from '../testing/pay-on-page.ts';
import { startTestSandbox, type TestSandbox } from '../testing/start-test-sandbox.ts';

const account = 'https://souk.test/account?tab=billing';
let sandbox: TestSandbox;
let stripe: Stripe;
let once: Stripe.Price;
let monthly: Stripe.Price;
beforeAll(async () => {
  sandbox = await startTestSandbox({ returnUrl: account });
  ({ stripe } = sandbox);
  const product = await stripe.products.create({ name: '<img src=x onerror=alert(1)>' });
  once = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 1000 });
  monthly = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 500,
    recurring: { interval: 'month' },
  });
});
afterAll(() => sandbox.stop());

async function openSession(changes: Partial<Stripe.Checkout.SessionCreateParams> = {}) {
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [{ price: once.id, quantity: 1 }],
    success_url: 'https://souk.test/payment/result?session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://souk.test/payment/result?canceled=true',
    ...changes,
  });
  const read = () => stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] });
  return { id: session.id, url: session.url ?? '', read };
}

test('the page says that no money moves, shows the purchase as text, and loads nothing but its stylesheet', async () => {
  const { url } = await openSession();
  const answer = await fetch(url);
  const text = await answer.text();
  expect(text).toContain('SANDBOX - no money moves');
  expect(text, 'paid once').toContain('<p class="amount">$10<span class="quiet"></span></p>');
  expect(text).toContain('href="https://souk.test/payment/result?canceled=true"');
  expect(text).not.toContain('<img');
  expect(text).not.toContain('<script');
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("form-action 'self' https://souk.test");
  expect(policy).toContain("frame-ancestors 'none'");
  const styles = await fetch(`${sandbox.origin}/dev-stripe/styles.css`);
  expect(styles.headers.get('content-type')).toContain('text/css');
});

test('a card that pays leads to the success address with the id of the session; a second payment charges nothing', async () => {
  const { id, url, read } = await openSession();
  const done = `https://souk.test/payment/result?session_id=${id}`;
  expect(await payOnPage(url, '4242 4242 4242 4242')).toMatchObject({ status: 303, location: done });
  expect(await payOnPage(url, '4242424242424242')).toMatchObject({ status: 303, location: done });
  const session = await read();
  expect(session).toMatchObject({
    status: 'complete',
    payment_status: 'paid',
    url: null,
    customer: null,
    customer_details: { email: 'ada@souk.test', name: 'Ada Lovelace' },
    payment_intent: { status: 'succeeded', amount_received: 1000 },
  });
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null;
  expect((await stripe.charges.list({ payment_intent: intent?.id ?? '' })).data).toHaveLength(1);
  expect(await (await fetch(url)).text()).toContain('Payment complete');
});

test('two simultaneous clicks charge once', async () => {
  const { url, read } = await openSession();
  const clicks = await Promise.all([payOnPage(url, '4242424242424242'), payOnPage(url, '4242424242424242')]);
  expect(clicks.map(({ status }) => status)).toEqual([303, 303]);
  const { payment_intent: intent } = await read();
  const id = typeof intent === 'object' ? (intent?.id ?? '') : '';
  expect((await stripe.charges.list({ payment_intent: id })).data).toHaveLength(1);
});

test('a declined card shows the reason; another one then pays for the same payment intent', async () => {
  const { url, read } = await openSession();
  const declined = await payOnPage(url, '4000000000000002');
  expect(declined.status).toBe(402);
  expect(declined.text).toContain('role="alert">Your card was declined.');
  expect((await payOnPage(url, '4000000000009995')).text).toContain('insufficient funds');
  const before = await read();
  expect(before).toMatchObject({
    status: 'open',
    payment_status: 'unpaid',
    payment_intent: {
      status: 'requires_payment_method',
      last_payment_error: { code: 'card_declined', decline_code: 'insufficient_funds' },
    },
  });
  expect((await payOnPage(url, '4242424242424242')).status).toBe(303);
  const idOf = ({ payment_intent: intent }: Stripe.Checkout.Session) =>
    typeof intent === 'object' ? intent?.id : intent;
  expect(idOf(await read())).toBe(idOf(before));
});

test('errors of the form are shown at their fields, and nothing is charged', async () => {
  const { url, read } = await openSession();
  const wrong = await payOnPage(url, '4242424242424242', { expiry: '13 / 34', cvc: 'x', name: ' ', email: 'nobody' });
  expect(wrong.status).toBe(422);
  for (const field of ['expiry', 'cvc', 'name', 'email']) {
    expect(wrong.text).toContain(`aria-describedby="${field}-problem"`);
    expect(wrong.text).toContain(`id="${field}-problem"`);
  }
  expect(wrong.text.match(/ autofocus/g)).toHaveLength(1);
  expect((await payOnPage(url, '4242424242424242', { expiry: '01/20' })).text).toContain('The card has expired.');
  expect((await read()).payment_intent).toBeNull();
});

test.each(['1234', '12/2034', '12 / 34', '12-34'])('the expiry may be typed as %s', async (expiry) => {
  const { url, read } = await openSession();
  expect((await payOnPage(url, '4242424242424242', { expiry })).status).toBe(303);
  expect((await read()).payment_status).toBe('paid');
});

test('a number that is not a test card is refused, and not stored, logged or shown', async () => {
  const { url, read } = await openSession();
  const real = await payOnPage(url, '5555555555554444');
  expect(real.status).toBe(422);
  expect(real.text).toContain('never a real card');
  expect(real.text).not.toMatch(/5555/);
  expect(JSON.stringify(await read())).not.toContain('4444');
  expect(sandbox.errors).toEqual([]);
});

test('a card that requires 3-D Secure pays once its bank has agreed', async () => {
  const { id, url, read } = await openSession();
  const asked = await payOnPage(url, '4000002500003155');
  expect(asked).toMatchObject({ status: 303, location: `/dev-stripe/pay/${id}/authenticate` });
  expect(await read()).toMatchObject({ status: 'open', payment_intent: { status: 'requires_action' } });
  const bank = `${url}/authenticate`;
  expect(await (await fetch(bank)).text()).toContain('Complete authentication');
  const failed = await payOnPage(bank, '', { answer: 'fail' });
  expect(failed.status).toBe(402);
  expect(failed.text).toContain('unable to authenticate');
  // no payment waits for the bank anymore
  expect((await payOnPage(bank, '', { answer: 'complete' })).location).toBe(`/dev-stripe/pay/${id}`);
  await payOnPage(url, '4000002500003155');
  expect((await payOnPage(bank, '', { answer: 'complete' })).location).toContain(`session_id=${id}`);
  expect(await read()).toMatchObject({ status: 'complete', payment_status: 'paid' });
});

test('a subscription creates a customer, an active subscription and a paid invoice', async () => {
  const { url, read } = await openSession({
    mode: 'subscription',
    line_items: [{ price: monthly.id, quantity: 1 }],
    subscription_data: { metadata: { mcpId: 'notes' } },
  });
  expect(await (await fetch(url)).text()).toContain('Subscribe for $5/month');
  await payOnPage(url, '4242424242424242');
  const session = await read();
  const subscription = await stripe.subscriptions.retrieve(String(session.subscription), {
    expand: ['latest_invoice', 'default_payment_method'],
  });
  expect(subscription).toMatchObject({
    status: 'active',
    customer: session.customer,
    metadata: { mcpId: 'notes' },
    default_payment_method: { card: { last4: '4242' } },
    latest_invoice: { id: session.invoice, status: 'paid', amount_paid: 500, billing_reason: 'subscription_create' },
  });
});

test('a payment with an invoice has a page for it and a receipt, which both link back', async () => {
  const customer = await stripe.customers.create({ name: 'Ada', email: 'ada@souk.test' });
  const { url, read } = await openSession({
    customer: customer.id,
    invoice_creation: { enabled: true, invoice_data: { metadata: { orderId: 'o1' } } },
  });
  expect(await (await fetch(url)).text()).not.toContain('name="email"');
  await payOnPage(url, '4242424242424242');
  const session = await read();
  const invoice = await stripe.invoices.retrieve(String(session.invoice), { expand: ['payments'] });
  expect(invoice).toMatchObject({ status: 'paid', metadata: { orderId: 'o1' }, parent: null });
  expect(invoice.number).toMatch(/-0001$/);
  expect(invoice.payments?.data).toHaveLength(1);
  const invoicePage = await (await fetch(invoice.hosted_invoice_url ?? '')).text();
  expect(invoicePage).toContain(`Invoice ${invoice.number}`);
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null;
  const charge = await stripe.charges.retrieve(String(intent?.latest_charge));
  const receipt = await (await fetch(charge.receipt_url ?? '')).text();
  expect(receipt).toContain('Receipt');
  const name = '&#60;img src=x onerror=alert(1)&#62;';
  for (const page of [invoicePage, receipt]) expect(page).toContain(`<li><span>${name}</span><span>$10</span></li>`);
  for (const page of [invoicePage, receipt]) expect(page).toContain(`<a class="button" href="${account}">Go back</a>`);
});

test('an expired session cannot be paid, and links back', async () => {
  const { id, url, read } = await openSession();
  await stripe.checkout.sessions.expire(id);
  const page = await payOnPage(url, '4242424242424242');
  expect(page.status).toBe(410);
  expect(page.text).toContain('href="https://souk.test/payment/result?canceled=true"');
  expect(await read()).toMatchObject({ status: 'expired', payment_status: 'unpaid' });
});

test('each page lists and accepts its own methods of payment, and no others', async () => {
  const [card, bank] = ['4242 4242 4242 4242', 'AT61 1904 3002 3457 3201'];
  /** Returns the methods that a page lists, the hint of its field, and whether it accepts a card and a bank account. */
  async function seen(url: string) {
    const text = await (await fetch(url)).text();
    const [, list = ''] = text.split('class="test-cards"');
    const takes = async (number: string) =>
      (await payOnPage(url, number, { cvc: '' })).text.includes('not a test card');
    return {
      title: /<summary>(.*)<\/summary>/.exec(list)?.[1],
      lists: [card, bank].map((number) => list.includes(`<dt>${number}</dt>`)),
      suggests: [card, bank].map((number) => text.includes(`<option value="${number}">`)),
      takes: [!(await takes(card)), !(await takes(bank))],
    };
  }
  const both = { lists: [true, true], suggests: [true, true], takes: [true, true] };
  const cards = { lists: [true, false], suggests: [true, false], takes: [true, false] };
  const banks = { lists: [false, true], suggests: [false, true], takes: [false, true] };
  for (const [methods, expected] of [
    [['card', 'sepa_debit'], { title: 'Test cards and bank accounts', ...both }],
    [['card'], { title: 'Test cards', ...cards }],
    [['sepa_debit'], { title: 'Test cards and bank accounts', ...banks }],
  ] as const) {
    const { url } = await openSession({ allowed_payment_method_types: [...methods] });
    expect(await seen(url)).toEqual(expected);
  }
  const customer = await stripe.customers.create({ email: 'ada@souk.test' });
  const portal = await stripe.billingPortal.sessions.create({
    customer: customer.id,
    return_url: account,
    flow_data: { type: 'payment_method_update' },
  });
  expect(await seen(portal.url)).toEqual({ title: 'Test cards', ...cards });
  const { url, read } = await openSession({ mode: 'subscription', line_items: [{ price: monthly.id, quantity: 1 }] });
  await payOnPage(url, '4000000000000341');
  const subscription = String((await read()).subscription);
  const item = (await stripe.subscriptions.retrieve(subscription)).items.data[0]?.id ?? '';
  await stripe.subscriptions.update(subscription, {
    items: [{ id: item, quantity: 2 }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'allow_incomplete',
  });
  const open = async () => (await stripe.invoices.list({ subscription, status: 'open' })).data[0]?.hosted_invoice_url;
  expect(await seen((await open()) ?? '')).toEqual({ title: 'Test cards and bank accounts', ...both });
  await stripe.subscriptions.update(subscription, { payment_settings: { payment_method_types: ['card'] } });
  expect(await seen((await open()) ?? '')).toEqual({ title: 'Test cards', ...cards });
});

test('a form of another site is refused; unknown addresses are 404', async () => {
  const { url, read } = await openSession();
  for (const origin of ['https://evil.test', 'null']) {
    expect((await payOnPage(url, '4242424242424242', {}, { origin })).status).toBe(403);
  }
  expect(await read()).toMatchObject({ status: 'open' });
  expect((await payOnPage(url, '4242424242424242', {}, { origin: sandbox.origin })).status).toBe(303);
  for (const path of [
    'pay/cs_test_none',
    'pay/x/y',
    'invoice/in_none',
    'receipt/ch_none',
    'none',
    `pay/${'a'.repeat(200)}`,
  ]) {
    expect((await fetch(`${sandbox.origin}/dev-stripe/${path}`)).status).toBe(404);
  }
  expect((await fetch(url, { method: 'DELETE' })).status).toBe(405);
});

test('one session may have 20 refused cards', async () => {
  const { url } = await openSession();
  for (let refused = 0; refused < 20; refused++) await payOnPage(url, '4000000000000002');
  expect((await payOnPage(url, '4242424242424242')).status).toBe(429);
});
