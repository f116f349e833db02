import { expect, test } from 'vitest';
import type { OfferFields } from '@souk/contract/billing/offer-fields.ts';
import { describeOnPostgres } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../../migrations.ts';
import type { Shop } from '../checkout/testing/shop.ts';
import { startTwoShops } from '../checkout/testing/two-shops.ts';
import { newSubscriber } from '../subscriptions/testing/subscriber.ts';

const by = { operator: 'root', reason: 'a test' };

async function priced(shop: Shop, amount: number, revision?: number) {
  const { offer } = await shop.billing.offerEditing.show('basic');
  const fields = { ...offer.fields, amount } as OfferFields;
  return shop.billing.offerEditing.change('basic', { change: { type: 'edit', fields }, revision }, by, false);
}

describeOnPostgres('moves and edits of offers on several brokers', migrations, (open) => {
  test('of two concurrent edits of one revision one is saved; an edit is on sale at every broker immediately', async () => {
    const shops = await startTwoShops(await open());
    const [shop, other] = shops;
    try {
      const { revision } = (await shop.billing.offerEditing.show('basic')).offer;
      const outcomes = await Promise.allSettled([priced(shop, 700, revision), priced(other, 800, revision)]);
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const [refused] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      expect(refused).toMatchObject({ code: 'changed_since_shown' });
      const amount = outcomes[0].status === 'fulfilled' ? 700 : 800;
      for (const one of shops) {
        expect((await one.billing.offers.plans()).find(({ planId }) => planId === 'basic')?.amount).toBe(amount);
        await waitUntil(
          'the broker knows the new price',
          () => one.billing.prices.priceOf('plan', 'basic')?.amount === amount,
        );
      }
      // two brokers synced it, and the provider has one price
      const { data } = await shop.stripe.prices.list({ product: 'souk_plan_basic', active: true });
      expect(data.map(({ unit_amount: price }) => price)).toEqual([amount]);
      const rows = await Promise.all(shops.map((one, index) => mark(one, index === 0 ? 'basic' : 'enterprise')));
      expect(rows).toHaveLength(2);
      expect((await shop.billing.offers.plans()).filter(({ popular }) => popular)).toHaveLength(1);
    } finally {
      for (const one of shops) await one.stop();
    }
  });

  test('a move whose broker dies is taken over, and each subscriber is moved once', async () => {
    const db = await open();
    const shops = await startTwoShops(db);
    const [shop, other] = shops;
    try {
      const people = [await newSubscriber(shop), await newSubscriber(shop), await newSubscriber(shop)];
      const ids: string[] = [];
      for (const person of people) ids.push(await person.subscribe('basic'));
      await priced(shop, 900);
      await shop.billing.prices.synced();
      const shown = { movable: 3, amount: 900, monthlyCredits: 200 };
      const begun = await Promise.allSettled(
        shops.map(({ billing }) => billing.payments?.moves.begin('basic', shown, by)),
      );
      expect(begun.map(({ status }) => status).toSorted(), 'one move runs at a time').toEqual([
        'fulfilled',
        'rejected',
      ]);
      await waitUntil('the move has ended', async () => {
        await other.billing.payments?.moves.processDue();
        return (await other.billing.offerEditing.show('basic')).moves[0]?.endedAt !== null;
      });
      // as after a kill: one of three is done, another was moved at the provider but not recorded
      await db.query(
        `update price_moves set ended_at = null, worker = gen_random_uuid(), beat = now() - interval '29 seconds'`,
      );
      await db.query(`update price_move_items set status = 'queued' where payment_id <> $1`, [ids[0]]);
      const old = (await shop.stripe.prices.list({ product: 'souk_plan_basic' })).data.find(
        ({ unit_amount: amount }) => amount === 500,
      );
      await shop.stripe.prices.update(old?.id ?? '', { active: true });
      const item = (await shop.stripe.subscriptions.retrieve(ids[2] ?? '')).items.data[0];
      await shop.stripe.subscriptions.update(ids[2] ?? '', {
        items: [{ id: item?.id ?? '', price: old?.id ?? '' }],
        proration_behavior: 'none',
      });
      await other.billing.payments?.moves.processDue();
      expect((await shop.billing.offerEditing.show('basic')).moves, 'its broker may still live').toMatchObject([
        { moved: 1, endedAt: null },
      ]);
      await db.query(`update price_moves set beat = now() - interval '31 seconds'`);
      await Promise.all(shops.map(({ billing }) => billing.payments?.moves.processDue()));
      await waitUntil(
        'the move has ended',
        async () => (await shop.billing.offerEditing.show('basic')).moves[0]?.endedAt !== null,
      );
      expect((await shop.billing.offerEditing.show('basic')).moves).toMatchObject([{ total: 3, moved: 3, failed: 0 }]);
      for (const id of ids)
        expect((await shop.stripe.subscriptions.retrieve(id)).items.data.map(({ price }) => price.unit_amount)).toEqual(
          [900],
        );
      for (const person of people) expect(await person.history()).toEqual(['subscription_create completed 500']);
      const { rows } = await db.query(`select action from audit_log where action like 'offer.move%' order by id`);
      expect(rows.map(({ action }) => action)).toEqual(['offer.move-started', 'offer.moved', 'offer.moved']);
    } finally {
      for (const one of shops) await one.stop();
    }
  });
});

async function mark(shop: Shop, planId: string) {
  const { offer } = await shop.billing.offerEditing.show(planId);
  const fields = { ...offer.fields, popular: true };
  return shop.billing.offerEditing.change(planId, { change: { type: 'edit', fields }, revision: undefined }, by, false);
}
