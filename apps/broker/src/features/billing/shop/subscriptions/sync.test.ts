import { payOnPage } from '@souk/stripe-sandbox/testing';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectProvider } from '#adapters/stripe/stripe-client.ts';
import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { createLog } from '#platform/log.ts';
import { describeOnPostgres } from '#testing/databases/databases.ts';
import { migrations } from '../../../../migrations.ts';
import { createPurchaseLocks } from '../changes/purchase-locks.ts';
import { settle, type Shop } from '../checkout/testing/shop.ts';
import { startTwoShops } from '../checkout/testing/two-shops.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';
import { createSyncSubscription } from './sync-subscription.ts';
import { giveClock, newSubscriber } from './testing/subscriber.ts';

/** A card that asks for 3-D Secure at each payment. */
const careful = '4000002760003184';

describeOnPostgres('two brokers and their subscriptions', migrations, (open) => {
  let db: Database;
  let shop: Shop;
  let other: Shop;
  beforeAll(async () => {
    db = await open();
    [shop, other] = await startTwoShops(db);
  });
  afterAll(async () => {
    await other?.stop();
    await shop?.stop();
  });

  /** Pauses the webhooks, so that no event reports what happens at the provider. */
  const silence = () => [shop, other].forEach(({ control }) => control.pause());
  const speak = () => [shop, other].forEach(({ control }) => control.resume());
  const syncOf = ({ billing }: Shop) =>
    billing.payments?.subscriptions.sync ?? (() => Promise.reject(new Error('off')));
  const syncAtOnce = (paymentId: string) =>
    Promise.all([shop, other, shop, other, shop, other].map((broker) => syncOf(broker)(paymentId)));

  /** Starts a read that has fetched the subscription and waits; `end` lets it finish. */
  async function beginReading(paymentId: string): Promise<{ end(): Promise<unknown> }> {
    const begun = Promise.withResolvers<void>();
    const ends = Promise.withResolvers<void>();
    if (!shop.stripeSandbox) throw new Error('the stand-in is not running');
    const provider = connectProvider(shop.stripeSandbox.access, () => Promise.reject(new Error('not requested')));
    const reading = createSyncSubscription({
      db,
      uuid: randomUUID,
      clock: systemClock,
      log: createLog('silent'),
      findServer: () => undefined,
      readServer: async (name) => ({ name, isOffered: false, tier: null }),
      endRentals: () => Promise.resolve(),
      announce: () => Promise.resolve(),
      endMissing: () => Promise.resolve(),
      setPaymentSettings: () => Promise.resolve(),
      returnOwed: () => Promise.resolve(),
      locks: createPurchaseLocks({ query: db.query, livemode: false, uuid: randomUUID, log: createLog('silent') }),
      provider: {
        ...provider,
        async find(request) {
          const answer = await provider.find(request);
          begun.resolve();
          await ends.promise;
          return answer;
        },
      },
    })(paymentId).finally(() => provider.stop());
    await begun.promise;
    return {
      end() {
        ends.resolve();
        return reading;
      },
    };
  }

  test('a renewal that both brokers read concurrently counts once', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic');
    const clock = await giveClock(shop, paymentId);
    const month = await ann.credits();
    silence();
    await clock.advanceDays(32);
    await syncAtOnce(paymentId);
    speak();
    expect(await ann.credits()).toBe(2 * month);
    expect(await ann.history()).toHaveLength(2);
    await syncAtOnce(paymentId);
    expect(await ann.credits()).toBe(2 * month);
    expect(await checkLedger(db)).toEqual([]);
  });

  test("overlapping reads end with the provider's state", async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic');
    for (const cancel of [true, false, true]) {
      const before = syncAtOnce(paymentId);
      await shop.stripe.subscriptions.update(paymentId, { cancel_at_period_end: cancel });
      await Promise.all([before, syncAtOnce(paymentId)]);
      expect((await ann.plan())?.status).toBe(cancel ? 'canceled' : 'active');
    }
  });

  test('a read that began before another one and ends after it is not written', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic');
    const reading = await beginReading(paymentId);
    await shop.stripe.subscriptions.update(paymentId, { cancel_at_period_end: true });
    await syncOf(other)(paymentId);
    await reading.end();
    expect((await ann.plan())?.status).toBe('canceled');
  });

  test('an upgrade begins once it is paid, also if a read that missed the upgrade records its payment', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic', careful);
    const { paymentUrl } = await ann.changePlan('pro');
    await settle(shop);
    silence();
    const reading = await beginReading(paymentId);
    await payOnPage(paymentUrl ?? '', careful, {}, { origin: shop.publicUrl });
    await reading.end();
    expect(await ann.history(), 'the payment is recorded').toHaveLength(2);
    await syncOf(other)(paymentId);
    expect(await ann.plan()).toMatchObject({ mcpId: 'pro', status: 'active', nextPlanId: null, pendingPlanId: null });
    speak();
  });

  test('an event of a change before the event of the creation, and events without a change, do no harm', async () => {
    const ann = await newSubscriber(shop);
    [shop, other].forEach(({ control }) => control.shuffle(Math.random));
    const paymentId = await ann.subscribe('basic');
    const handlers = shop.billing.payments?.subscriptions.handlers(async () => false) ?? {};
    const month = await ann.credits();
    for (const type of ['updated', 'created', 'updated', 'created'])
      await handlers[`customer.subscription.${type}`]?.({ objectId: paymentId });
    await handlers['customer.subscription.updated']?.({ objectId: 'sub_unknown' });
    expect(await ann.plan()).toMatchObject({ mcpId: 'basic', status: 'active' });
    expect(await ann.credits()).toBe(month);
    expect(await ann.history()).toHaveLength(1);
  });

  test('a change that no event reported is found, and raises an alarm', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('pro');
    // a late event of the creation cannot report it either
    silence();
    await Promise.all([shop, other].map(({ billing }) => billing.payments?.events.idle()));
    const { canceled_at: at } = await shop.stripe.subscriptions.update(paymentId, { cancel_at_period_end: true });
    expect((await ann.plan())?.status).toBe('active');
    expect(await shop.billing.payments?.subscriptions.reconcile()).toBeGreaterThan(0);
    expect((await ann.plan())?.status).toBe('canceled');
    expect(await shop.billing.payments?.subscriptions.reconcile()).toBe(0);
    expect(shop.logged()).toContain('had changed at the payment provider without an event');
    type Audit = { details: { cancelled_at: { is: string } } };
    const { rows } = await db.query<Audit>('select actor_id, action, details from audit_log where subject = $1', [
      paymentId,
    ]);
    // PostgreSQL wrote the time, in its own time zone
    const is = rows[0]?.details.cancelled_at.is ?? '';
    expect(Date.parse(is)).toBe((at ?? 0) * 1000);
    expect(rows).toEqual([
      {
        actor_id: null,
        action: 'subscription.found-by-reconciler',
        details: { cancelled_at: { was: null, is } },
      },
    ]);
    speak();
  });

  test('a subscription that was removed here ends at the provider, and does not come back', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic');
    await db.query('update subscriptions set ended_at = now() where user_id = $1', [ann.userId]);
    await syncOf(other)(paymentId);
    await shop.billing.payments?.subscriptions.endRevoked();
    expect(await shop.stripe.subscriptions.retrieve(paymentId)).toMatchObject({ status: 'canceled' });
    await other.billing.payments?.subscriptions.endRevoked();
    await syncOf(shop)(paymentId);
    const { rows } = await db.query('select from subscriptions where user_id = $1 and ended_at is null', [ann.userId]);
    expect(rows).toHaveLength(0);
  });
});
