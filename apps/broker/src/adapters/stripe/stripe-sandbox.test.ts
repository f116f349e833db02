import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { payOnPage } from '@souk/stripe-sandbox/testing';
import { systemClock } from '#platform/clock.ts';
import { createLog } from '#platform/log.ts';
import { describeOnPostgres } from '#testing/databases/databases.ts';
import { connectStripe, openCheckout } from '#testing/people/open-checkout.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { migrations } from '../../migrations.ts';
import { startStripeSandbox } from './stripe-sandbox.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

test('without a key, users pay on the page of the stand-in at our own origin', async () => {
  const { publicUrl, stripeSandbox } = app;
  if (!stripeSandbox) throw new Error('the stand-in is not running');
  const stripe = connectStripe(stripeSandbox.access);
  const session = await openCheckout(stripe, publicUrl);
  expect(session.url).toBe(`${publicUrl}/dev-stripe/pay/${session.id}`);
  const page = await fetch(session.url ?? '');
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('SANDBOX - no money moves');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const styles = await fetch(`${publicUrl}/dev-stripe/styles.css`);
  expect(styles.headers.get('content-type')).toContain('text/css');
  const foreign = await payOnPage(session.url ?? '', '4242424242424242', {}, { origin: 'https://evil.test' });
  expect(foreign.status).toBe(403);
  const paid = await payOnPage(session.url ?? '', '4242424242424242', {}, { origin: publicUrl });
  expect(paid).toMatchObject({ status: 303, location: `${publicUrl}/payment/result?session_id=${session.id}` });
  expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: 'paid' });
});

test('the API of the stand-in and large forms are not passed on', async () => {
  const { publicUrl, stripeSandbox } = app;
  const authorization = `Bearer ${stripeSandbox?.access.secretKey}`;
  for (const path of [
    '/v1/customers',
    '/dev-stripe/../v1/customers',
    '/dev-stripe/v1/customers',
    '/dev-stripe/%2e%2e/v1/customers',
  ]) {
    const answer = await fetch(`${publicUrl}${path}`, { headers: { authorization } });
    expect(answer.status).toBe(404);
  }
  const long = await payOnPage(`${publicUrl}/dev-stripe/pay/cs_test_x`, '4242', { name: 'x'.repeat(20_000) });
  expect(long.status).toBe(413);
});

let other: TestApp | undefined;
afterEach(async () => {
  await other?.stop();
  other = undefined;
});
test.each([
  ['PAYMENTS=off', { PAYMENTS: 'off' }],
  ['keys of Stripe', { STRIPE_SECRET_KEY: 'sk_live_x', STRIPE_WEBHOOK_SECRET: 'whsec_x' }],
])('with %s the stand-in is not started', async (_name, env) => {
  other = await startTestApp({ env });
  const { publicUrl, stripeSandbox } = other;
  expect(stripeSandbox).toBeUndefined();
  expect((await fetch(`${publicUrl}/dev-stripe/styles.css`)).status).toBe(404);
});

describeOnPostgres('the stand-in for Stripe', migrations, (open) => {
  const options = {
    config: { publicUrl: 'http://souk.test', port: 1 },
    webhookKey: Buffer.alloc(32),
    clock: systemClock,
    log: createLog('silent'),
  };

  test('two brokers on one database see the same objects, take turns, and keep payments across a restart', async () => {
    const db = await open();
    const [one, other] = [await startStripeSandbox({ ...options, db }), await startStripeSandbox({ ...options, db })];
    const session = await openCheckout(connectStripe(one.access), 'http://souk.test');
    const pageOf = ({ access }: typeof one) => `http://${access.host}:${access.port}/dev-stripe/pay/${session.id}`;
    const clicks = await Promise.all([one, other].map((each) => payOnPage(pageOf(each), '4242424242424242')));
    expect(clicks.map(({ status }) => status)).toEqual([303, 303]);
    await Promise.all([one.stop(), other.stop()]);
    const again = await startStripeSandbox({ ...options, db });
    const stripe = connectStripe(again.access);
    const { payment_intent: intent, status } = await stripe.checkout.sessions.retrieve(session.id);
    expect(status).toBe('complete');
    expect((await stripe.charges.list({ payment_intent: String(intent) })).data).toHaveLength(1);
    const events = await stripe.events.list({ types: ['checkout.session.completed'], created: { gte: 1 } });
    expect(events.data).toHaveLength(1);
    await again.stop();
  });
});
