import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { atFullSize, printFigure } from '#testing/figures/proof-size.ts';
import { migrations } from '../../../../migrations.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';
import { newBuyer, pay, startShop, type Shop } from './testing/shop.ts';

const many = atFullSize({ full: 10_000, short: 300 });

describeOnDatabases('the reconciler and many orders', migrations, (open) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop({ db: await open() });
  });
  afterAll(() => shop?.stop());

  /**
   * Inserts orders of ten minutes ago, all of whose sessions have this status at the provider: copies of one order that
   * went the usual way. They are half a second apart, and their times are in milliseconds, like those of our clock.
   */
  async function addOrders(status: 'open' | 'expired' | 'complete', count: number): Promise<void> {
    const buyer = await newBuyer(shop);
    const { checkoutUrl, sessionId } = await buyer.api.startCheckout({
      body: { type: 'credit', planId: 'credits-500' },
    });
    shop.control.drop(1000);
    if (status === 'complete') await pay(shop, checkoutUrl);
    if (status === 'expired') await shop.stripe.checkout.sessions.expire(sessionId);
    await shop.db.query(
      `insert into checkout_orders (id, user_id, livemode, kind, item_id, description, price_id, amount, currency, credits,
         success_url, cancel_url, session_id, checkout_url, created_at, expires_at)
       select gen_random_uuid(), user_id, livemode, kind, $2 || n, description, price_id, amount, currency, credits,
         success_url, cancel_url, 'cs_test_' || $2 || n, checkout_url,
         date_trunc('milliseconds', now()) - interval '10 minutes' - n * interval '0.5 seconds', expires_at
       from checkout_orders, generate_series(1, $3::int) n where session_id = $1`,
      [sessionId, status, count],
    );
    await shop.db.query(
      `insert into stripe_sandbox.objects (id, kind, body, memory, timeline, due_ms, stored_ms)
       select o.session_id, s.kind, s.body || jsonb_build_object(
           'id', o.session_id,
           'created', floor(extract(epoch from o.created_at))::bigint,
           'client_reference_id', o.id,
           'invoice', null,
           'metadata', (s.body -> 'metadata') || jsonb_build_object('orderId', o.id)
         ), s.memory, s.timeline, null, s.stored_ms
       from stripe_sandbox.objects s, checkout_orders o
       where s.id = $1 and o.session_id like 'cs_test_' || $2 || '%' order by o.created_at`,
      [sessionId, status],
    );
    await shop.db.query('delete from checkout_orders where session_id = $1', [sessionId]);
    // each is of its own package, since a user has one open order per package
    await shop.db.query(
      `insert into credit_packages (package_id, name, credits, bonus, price, currency, active, position)
       select o.item_id, p.name, p.credits, p.bonus, p.price, p.currency, true, p.position
       from credit_packages p, checkout_orders o
       where p.package_id = 'credits-500' and o.session_id like 'cs_test_' || $1 || '%'`,
      [status],
    );
  }

  async function reconcile() {
    const before = shop.control.requests();
    const report = await shop.billing.payments?.reconcileOrders();
    return { report, requests: shop.control.requests() - before };
  }
  const bought = async () => {
    const { rows } = await shop.db.query<{ n: number }>(
      `select count(*)::int as n from ledger_entries where contra = 'purchased'`,
    );
    return rows[0]?.n;
  };

  test('[reconcile] thousands of orders take one request per hundred, and each paid order is given once', async () => {
    const [open, expired, paid] = [many * 0.4, many * 0.4, many * 0.2];
    await addOrders('open', open);
    await addOrders('expired', expired);
    await addOrders('complete', paid);
    const first = await reconcile();
    expect(first.report).toEqual({ checked: many, fulfilled: paid, expired, flagged: 0, refunded: 0, unanswered: 0 });
    expect(first.requests).toBeLessThan(many / 15);
    expect(await bought()).toBe(paid);
    const second = await reconcile();
    expect(second.report).toMatchObject({ checked: open, fulfilled: 0, expired: 0 });
    expect(await bought()).toBe(paid);
    expect(await checkLedger(shop.db)).toEqual([]);
    printFigure(`${many} orders in ${first.requests} requests, ${paid} bought, 0 differences`);
  });
});
