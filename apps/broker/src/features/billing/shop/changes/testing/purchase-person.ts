import { payOnPage } from '@souk/stripe-sandbox/testing';
import { newBuyer, pay, settle, type Shop } from '../../checkout/testing/shop.ts';
import { giveClock } from '../../subscriptions/testing/subscriber.ts';
import type { PlanId, PurchaseOp } from './purchase-ops.ts';

const dayMs = 86_400_000;
const good = '4242424242424242';
const failsLater = '4000000000000341';

/** A user of the model, on one or two brokers of a shop. A refused action throws. */
export async function newPerson(shops: readonly [Shop, ...Shop[]]) {
  const [shop] = shops;
  const { userId } = await newBuyer(shop);
  let advance: ((days: number) => Promise<void>) | undefined;
  const paymentsOf = ({ billing }: Shop) => {
    if (!billing.payments) throw new Error('nothing is sold');
    return billing.payments;
  };
  const at = (broker: 0 | 1) => paymentsOf(shops[broker] ?? shop);
  const payments = paymentsOf(shop);

  async function charges() {
    const customer = await payments.checkout.customers.find(userId);
    return customer === undefined ? [] : (await shop.stripe.charges.list({ customer, limit: 100 })).data;
  }
  async function subscriptions() {
    const customer = await payments.checkout.customers.find(userId);
    if (customer === undefined) return [];
    return (await shop.stripe.subscriptions.list({ customer, status: 'all', limit: 100 })).data;
  }
  async function planId(): Promise<string> {
    const { plans } = await shop.billing.access.read(userId);
    return plans.find(({ source }) => source === 'payment')?.id ?? '';
  }
  const pick = <Item>(items: readonly Item[], of: number): Item | undefined => items[of % Math.max(1, items.length)];

  async function buy({ plan, failsLater: fails, isLeftOpen }: Extract<PurchaseOp, { kind: 'buy' }>): Promise<void> {
    const { checkoutUrl } = await payments.checkout.start(userId, { type: 'subscription', planId: plan }, {});
    if (!isLeftOpen) await pay(shop, checkoutUrl, fails ? failsLater : good);
    const [known] = await subscriptions();
    if (known && !advance) advance = (await giveClock(shop, known.id)).advanceDays;
  }

  /** Reads the price, and returns what confirms it. */
  async function look(plan: PlanId, broker: 0 | 1) {
    const { changePlan } = at(broker).subscriptions;
    const id = await planId();
    const { change } = await changePlan(userId, id, { planId: plan, preview: true });
    const { amountDue, nextAmount, prorationDate } = change;
    const date = prorationDate === null ? {} : { prorationDate };
    return () => changePlan(userId, id, { planId: plan, preview: false, shown: { amountDue, nextAmount }, ...date });
  }

  async function cancelOrResume(kind: 'cancel' | 'resume', broker: 0 | 1): Promise<unknown> {
    const { ends } = at(broker).subscriptions;
    return kind === 'cancel' ? ends.cancelPlan(userId, await planId()) : ends.resumePlan(userId, await planId());
  }

  /** Freezes a broker right before it sends a change, and another broker makes another change. */
  async function freeze(plan: PlanId, other: PlanId): Promise<void> {
    const [first, second] = [await look(plan, 0), await look(other, 1)];
    const live = (await subscriptions()).find(({ status }) => status === 'active');
    const held = shop.control.hold(`POST /v1/subscriptions/${live?.id}`, 'before');
    const late = first().catch(() => {});
    await Promise.race([held.reached, late]);
    await shop.db.query(`update purchase_locks set until = clock_timestamp() - interval '1 s' where user_id = $1`, [
      userId,
    ]);
    await second().catch(() => {});
    held.release();
    await late;
  }

  async function refundByHand(of: number, part: number): Promise<void> {
    const paid = (await charges()).filter((one) => one.paid && one.amount_refunded < one.amount && !one.disputed);
    const charge = pick(paid, of);
    if (!charge) return;
    const amount = Math.max(1, Math.floor((charge.amount - charge.amount_refunded) / part));
    // the provider may be set to fail the next write, which is this one
    await shop.stripe.refunds.create({ charge: charge.id, amount }).catch(() => {});
  }

  async function refundByUs(of: number, part: number): Promise<void> {
    const { rows } = await shop.db.query<{ id: string; amount: number; currency: string; intent: string }>(
      `select id, amount, currency, payment_intent_id as intent from transactions
       where user_id = $1 and type <> 'refund' and status = 'completed' and amount > 0 and payment_intent_id is not null
       order by created_at, id`,
      [userId],
    );
    const row = pick(rows, of);
    if (!row) return;
    const payment = { invoiceId: '', paymentIntentId: row.intent, amount: Math.max(1, Math.floor(row.amount / part)) };
    const wanted = { userId, transactionId: row.id, currency: row.currency, payment };
    const id = await shop.db.transaction((query) => payments.refunds.wantPayment(query, wanted));
    await payments.refunds.payAll(await payments.refunds.find([id]));
  }

  async function dispute(of: number, isWon: boolean): Promise<void> {
    const charge = pick(
      (await charges()).filter((one) => one.paid && one.amount_refunded === 0 && !one.disputed),
      of,
    );
    if (!charge) return;
    await shop.control.closeDispute(await shop.control.openDispute(charge.id), isWon ? 'won' : 'lost');
  }

  async function failOneRefund(of: number): Promise<void> {
    const made = await Promise.all(
      (await charges()).map(async ({ id }) => (await shop.stripe.refunds.list({ charge: id, limit: 100 })).data),
    );
    const refund = pick(
      made.flat().filter(({ status }) => status === 'succeeded'),
      of,
    );
    if (refund) await shop.control.failRefund(refund.id);
  }

  async function payOpen(): Promise<void> {
    const { paymentUrl } = await payments.subscriptions.findOpenPayment(userId, await planId());
    await payOnPage(paymentUrl.replace(shop.publicUrl, shop.pages), good, {}, { origin: shop.publicUrl });
  }

  async function passMonth(): Promise<void> {
    if (!advance) return;
    // orders are compared every five minutes, so none stays open for a month
    for (const { control } of shops) control.failNext('*', 'before', 0);
    for (const each of shops) each.ahead.ms += 10 * 60_000;
    await payments.reconcileOrders();
    await advance(32);
    for (const each of shops) each.ahead.ms += 32 * dayMs;
  }

  function setWebhooks(how: Extract<PurchaseOp, { kind: 'webhooks' }>['how']): void {
    for (const { control } of shops) {
      if (how === 'late') control.pause();
      else control.resume();
      if (how === 'lost') control.drop(20);
      control.duplicate(how === 'doubled' ? 2 : 1);
      if (how === 'shuffled') control.shuffle(() => 0.7);
    }
  }

  async function act(op: PurchaseOp): Promise<unknown> {
    switch (op.kind) {
      case 'buy':
        return buy(op);
      case 'change':
        return (await look(op.plan, op.broker))();
      case 'two tabs': {
        const [first, second] = [await look(op.plans[0], 0), await look(op.plans[1], 1)];
        return Promise.allSettled([first(), second()]);
      }
      case 'change and cancel': {
        const confirm = await look(op.plan, 0);
        return Promise.allSettled([confirm(), cancelOrResume('cancel', 1)]);
      }
      case 'cancel':
      case 'resume':
        return cancelOrResume(op.kind, op.broker);
      case 'month passes':
        return passMonth();
      case 'pay what is open':
        return payOpen();
      case 'refund by hand':
        return refundByHand(op.of, op.part);
      case 'refund by us':
        return refundByUs(op.of, op.part);
      case 'dispute':
        return dispute(op.of, op.isWon);
      case 'bank returns a refund':
        return failOneRefund(op.of);
      case 'webhooks':
        return setWebhooks(op.how);
      case 'provider':
        return shop.control.failNext('*', op.how);
      case 'frozen':
        return freeze(op.plan, op.other);
    }
  }

  /** Delivers everything, and runs every job until nothing is left to do. */
  async function rest(): Promise<void> {
    setWebhooks('on time');
    for (const { control } of shops) {
      control.failNext('*', 'before', 0);
      control.drop(0);
    }
    for (let round = 0; round < 3; round += 1) {
      await settle(shop);
      for (const each of shops) each.ahead.ms += 10 * 60_000;
      await payments.reconcileOrders();
      for (const { id } of await subscriptions()) await payments.subscriptions.sync(id);
      await payments.subscriptions.retryReadings();
      // what was refused is tried again a day later
      await shop.db.query(
        `update subscription_invoices set return_next_at = return_next_at - interval '2 days' where return_next_at is not null`,
      );
      await payments.subscriptions.returnOwed();
      await payments.clawback.findMissedDisputes();
      await payments.clawback.findMissedRefunds();
      await payments.refunds.payDue();
    }
    await settle(shop);
  }

  return { userId, act, rest, charges, subscriptions };
}

export type Person = Awaited<ReturnType<typeof newPerson>>;
