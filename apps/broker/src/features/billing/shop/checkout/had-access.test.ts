import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { inBackground } from '#platform/db/background-work.ts';
import { isDatabaseLost } from '#platform/db/database-errors.ts';
import { describeOnEmbedded, describeOnPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../../migrations.ts';
import { newSubscriber, type Subscriber } from '../subscriptions/testing/subscriber.ts';
import { pay, startShop, type Shop } from './testing/shop.ts';

const by = { operator: 'test' };
const rental = { type: 'rental', mcpId: 'travel', period: 'monthly' } as const;
const basic = { type: 'subscription', planId: 'basic' } as const;
const pro = { type: 'subscription', planId: 'pro' } as const;
const enterprise = { type: 'subscription', planId: 'enterprise' } as const;
const credits = { type: 'credit', planId: 'credits-500' } as const;

async function startShopWithTravel(db: Shop['db']): Promise<Shop> {
  const shop = await startShop({ db });
  const connection = { type: 'http', url: 'http://127.0.0.1:9/mcp' };
  const billing = { tier: 'T2', rental: { price: 900, currency: 'USD' } };
  await deployManifest(shop, { id: 'travel', name: 'Travel', connection, billing }, 'unasked');
  return shop;
}

async function ordersOf({ db }: Shop, { userId }: Subscriber): Promise<string[]> {
  const { rows } = await db.query<{ told: string }>(
    `select concat_ws(': ', item_id, status, reason) as told from checkout_orders where user_id = $1 order by created_at, id`,
    [userId],
  );
  return rows.map(({ told }) => told);
}

function testBothAtOnce(shopOf: () => Shop): void {
  test('a plan and a rental that it includes, both paid concurrently: the rental is kept if it was first, and refunded otherwise', async () => {
    const [shop, ann] = [shopOf(), await newSubscriber(shopOf())];
    const pages = await Promise.all([rental, pro].map((body) => ann.api.startCheckout({ body })));
    await Promise.all(pages.map(({ checkoutUrl }) => pay(shop, checkoutUrl)));
    await waitUntil('the plan is active', async () => (await ordersOf(shop, ann)).includes('pro: fulfilled'));
    await waitUntil('the rental is decided', async () =>
      (await ordersOf(shop, ann)).some((told) => /^travel: (fulfilled|refunded: had access already)$/.test(told)),
    );
    const [ofRental] = (await ordersOf(shop, ann)).filter((told) => told.startsWith('travel'));
    const rented = (await ann.api.getSubscription()).subscription.rentals;
    expect(rented).toHaveLength(ofRental === 'travel: fulfilled' ? 1 : 0);
    expect((await ann.history()).toSorted()).toEqual(
      ofRental === 'travel: fulfilled'
        ? ['rental_create completed 900', 'subscription_create completed 1900']
        : ['refund completed 900', 'rental_create refunded 900', 'subscription_create completed 1900'],
    );
  });
}

describeOnEmbedded('a page for an item that the user gets in another way', migrations, (open) => {
  let shop: Shop;
  let ann: Subscriber;
  beforeAll(async () => {
    shop = await startShopWithTravel(await open());
  });
  beforeEach(async () => {
    ann = await newSubscriber(shop);
  });
  afterEach(() => shop.network.resume());
  afterAll(() => shop?.stop());

  const begin = (body: Parameters<Subscriber['api']['startCheckout']>[0]['body']) => ann.api.startCheckout({ body });
  const give = (type: 'subscription' | 'rental' | 'purchase', mcpId: string) =>
    shop.administration.give(ann.userId, { type, mcpId }, by);
  const statusAt = async (sessionId: string) => (await shop.stripe.checkout.sessions.retrieve(sessionId)).status;
  const isDecided = (told: string) =>
    waitUntil(`the order is ${told}`, async () => (await ordersOf(shop, ann)).includes(told));

  test.each([
    ['Basic', basic, 'basic', () => give('subscription', 'basic')],
    ['Pro, for a page of Basic,', basic, 'basic', () => give('subscription', 'pro')],
    ['a rental', rental, 'travel', () => give('rental', 'travel')],
    ['permanent access to a server', rental, 'travel', () => give('purchase', 'travel')],
    ['a plan that includes a server', rental, 'travel', () => ann.subscribe('pro')],
  ] as const)('ends immediately when %s comes; others stay open', async (_what, body, itemId, get) => {
    const others = [await begin(credits), ...(body === basic ? [await begin(enterprise)] : [])];
    const { sessionId } = await begin(body);
    await get();
    await isDecided(`${itemId}: expired: had access already`);
    expect(await ann.session(sessionId)).toMatchObject({
      status: 'expired',
      paymentStatus: 'unpaid',
      reason: 'had_access',
    });
    for (const other of others) expect(await statusAt(other.sessionId)).toBe('open');
  });

  test('ends at the next comparison if no broker was notified, as after a kill; the user may buy again once the item is removed', async () => {
    const { sessionId } = await begin(rental);
    const { sessionId: ofCredits } = await begin(credits);
    const { rows } = await shop.db.query<{ id: string }>(
      `insert into access_grants (id, user_id, livemode, server_id, kind, source, started_at)
       values (gen_random_uuid(), $1, false, 'travel', 'purchase', 'administrator', now()) returning id`,
      [ann.userId],
    );
    await shop.billing.payments?.reconcileOrders();
    expect(await ordersOf(shop, ann)).toEqual(['travel: expired: had access already', 'credits-500: open']);
    expect([await statusAt(sessionId), await statusAt(ofCredits)]).toEqual(['expired', 'open']);
    await expect(begin(rental)).rejects.toMatchObject({ status: 409, code: 'has_access' });
    await shop.administration.remove(ann.userId, rows[0]?.id ?? '', { ...by, refund: 'none' });
    const again = await begin(rental);
    await pay(shop, again.checkoutUrl);
    await isDecided('travel: fulfilled');
  });

  test.each(['marked', 'unheard of'] as const)(
    'a payment that is faster is refunded, with its reason, if the other item is %s',
    async (how) => {
      const { sessionId, checkoutUrl } = await begin(rental);
      const { sessionId: ofPlan, checkoutUrl: planUrl } = await begin(basic);
      if (how === 'marked') {
        await shop.network.stop();
        await give('purchase', 'travel');
        await give('subscription', 'basic');
        await waitUntil('both are marked', async () =>
          (await ordersOf(shop, ann)).every((told) => told.endsWith(': open: had access already')),
        );
      } else {
        await shop.db.query(
          `with plan as (insert into subscriptions (id, user_id, livemode, plan_id, source, started_at, period_ends_at)
             values (gen_random_uuid(), $1, false, 'pro', 'administrator', now(), now() + interval '1 month'))
           select 1`,
          [ann.userId],
        );
      }
      await pay(shop, checkoutUrl);
      await pay(shop, planUrl);
      if (how === 'marked') await shop.network.resume();
      await shop.billing.payments?.reconcileOrders();
      await isDecided('travel: refunded: had access already');
      await isDecided('basic: refunded: had access already');
      for (const id of [sessionId, ofPlan]) {
        expect(await ann.session(id)).toMatchObject({
          status: 'complete',
          paymentStatus: 'refunded',
          reason: 'had_access',
        });
        const { subscription } = await shop.stripe.checkout.sessions.retrieve(id);
        expect(await shop.stripe.subscriptions.retrieve(String(subscription))).toMatchObject({ status: 'canceled' });
      }
      const { rows } = await shop.db.query<{ told: string }>(
        `select description || ' ' || amount as told from transactions where user_id = $1 and type = 'refund' order by amount`,
        [ann.userId],
      );
      expect(rows.map(({ told }) => told)).toEqual([
        'Basic plan: had access already, refunded 500',
        'Rental of Travel: had access already, refunded 900',
      ]);
      // only the given items stay
      const { subscriptions, rentals, purchases } = (await ann.api.getSubscription()).subscription;
      expect(subscriptions.map(({ mcpId, source }) => `${mcpId} ${source}`)).toEqual([
        how === 'marked' ? 'basic administrator' : 'pro administrator',
      ]);
      expect(rentals).toEqual([]);
      expect(purchases).toHaveLength(how === 'marked' ? 1 : 0);
      expect(await ann.credits()).toBe(0);
    },
  );

  testBothAtOnce(() => shop);
});

describeOnPostgres('an item that comes at the same time as a payment for it', migrations, (open) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShopWithTravel(await open());
  });
  afterEach(async () => {
    shop.control.resume();
    await shop.db.query('drop trigger if exists gate on access_grants');
    await shop.db.query('drop function if exists wait_at_the_gate()');
  });
  afterAll(() => shop?.stop());

  testBothAtOnce(() => shop);

  test("an administrator's gift wins if it came first: the payment waits for it, and is refunded", async () => {
    await shop.db.query(`create function wait_at_the_gate() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(hashtextextended('gate:' || new.user_id, 0)); return new; end $$`);
    await shop.db.query(
      `create trigger gate before insert on access_grants for each row execute function wait_at_the_gate()`,
    );
    const waitsFor = (name: string) =>
      waitUntil(`a transaction waits for ${name}`, async () => {
        const { rows } = await shop.db.query(
          `select from pg_locks where locktype = 'advisory' and not granted
             and ((classid::bigint << 32) | objid::bigint) = hashtextextended($1, 0)`,
          [name],
        );
        return rows.length > 0;
      });
    /** @returns whether the gift came first: on a busy machine its statement may time out at the gate */
    async function giveWhilePaying(ann: Subscriber): Promise<boolean> {
      const { checkoutUrl } = await ann.api.startCheckout({ body: rental });
      shop.control.pause();
      await pay(shop, checkoutUrl);
      const held = Promise.withResolvers<void>();
      const opened = Promise.withResolvers<void>();
      const gate = shop.db.transaction(async (query) => {
        await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`gate:${ann.userId}`]);
        held.resolve();
        await opened.promise;
      });
      await held.promise;
      // statements in the background time out later
      const given = inBackground(() =>
        shop.administration.give(ann.userId, { type: 'purchase', mcpId: 'travel' }, by),
      ).then(
        () => true,
        (error: unknown) => !isDatabaseLost(error) && Promise.reject(error),
      );
      try {
        await waitsFor(`gate:${ann.userId}`);
        shop.control.resume();
        await waitsFor(`access:${ann.userId}`);
      } finally {
        opened.resolve();
        await Promise.all([gate, given]);
      }
      return given;
    }
    let ann = await newSubscriber(shop);
    while (!(await giveWhilePaying(ann))) ann = await newSubscriber(shop);
    await waitUntil('it is refunded', async () =>
      (await ordersOf(shop, ann)).includes('travel: refunded: had access already'),
    );
    const { rentals, purchases } = (await ann.api.getSubscription()).subscription;
    expect([rentals, purchases.map(({ mcpId }) => mcpId)]).toEqual([[], ['travel']]);
  });
});
