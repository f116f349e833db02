import { Stripe } from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnTargets, type Target } from './target.ts';

describeOnTargets('products, prices, customers and requests', (open) => {
  let target: Target;
  let stripe: Stripe;
  beforeAll(async () => {
    target = await open();
    ({ stripe } = target);
  });
  afterAll(() => target.stop());

  test('a customer is created, changed, listed by email', async () => {
    const email = `ada-${Date.now()}@souk.test`;
    const customer = await stripe.customers.create({ email, name: 'Ada', metadata: { userId: 'u1', old: 'x' } });
    expect(customer).toMatchObject({ object: 'customer', email, livemode: false, metadata: { userId: 'u1' } });
    expect(customer.id).toMatch(/^cus_/);
    const changed = await stripe.customers.update(customer.id, { name: 'Ada L.', metadata: { old: '', more: 'y' } });
    expect(changed).toMatchObject({ name: 'Ada L.', metadata: { userId: 'u1', more: 'y' } });
    expect(changed.metadata).not.toHaveProperty('old');
    const { data } = await stripe.customers.list({ email });
    expect(data.map(({ id }) => id)).toEqual([customer.id]);
  });

  test('a lookup key moves to the new price only when it is transferred', async () => {
    const product = await stripe.products.create({ name: 'Travel', metadata: { mcpId: 'travel' } });
    const key = `rental:travel:${product.id}`;
    const terms = { product: product.id, currency: 'usd', recurring: { interval: 'month' as const }, lookup_key: key };
    const old = await stripe.prices.create({ ...terms, unit_amount: 500 });
    expect(old).toMatchObject({
      type: 'recurring',
      unit_amount: 500,
      lookup_key: key,
      recurring: { interval: 'month' },
    });
    await expect(stripe.prices.create({ ...terms, unit_amount: 900 })).rejects.toMatchObject({
      statusCode: 400,
      param: 'lookup_key',
    });
    const next = await stripe.prices.create({ ...terms, unit_amount: 900, transfer_lookup_key: true });
    await stripe.prices.update(old.id, { active: false });
    const { data } = await stripe.prices.list({ lookup_keys: [key], active: true });
    expect(data.map(({ id }) => id)).toEqual([next.id]);
    expect(await stripe.prices.retrieve(old.id)).toMatchObject({ active: false, lookup_key: null });
  });

  test('a list has pages, in both directions', async () => {
    const product = await stripe.products.create({ name: 'Many prices' });
    const ids: string[] = [];
    for (const unit_amount of [100, 200, 300, 400, 500]) {
      ids.push((await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount })).id);
    }
    const newestFirst = ids.toReversed();
    const first = await stripe.prices.list({ product: product.id, limit: 2 });
    expect(first.data.map(({ id }) => id)).toEqual(newestFirst.slice(0, 2));
    expect(first.has_more).toBe(true);
    const second = await stripe.prices.list({ product: product.id, limit: 2, starting_after: newestFirst[1] ?? '' });
    expect(second.data.map(({ id }) => id)).toEqual(newestFirst.slice(2, 4));
    const back = await stripe.prices.list({ product: product.id, limit: 1, ending_before: newestFirst[3] ?? '' });
    expect(back.data.map(({ id }) => id)).toEqual([newestFirst[2]]);
    expect(back.has_more).toBe(true);
    const all = await stripe.prices.list({ product: product.id, limit: 2 }).autoPagingToArray({ limit: 100 });
    expect(all.map(({ id }) => id)).toEqual(newestFirst);
  });

  test('expand replaces the id of the product with the product', async () => {
    const product = await stripe.products.create({ name: 'Expanded' });
    const price = await stripe.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount: 100,
      expand: ['product'],
    });
    expect(price.product).toMatchObject({ id: product.id, name: 'Expanded' });
    const list = await stripe.prices.list({ product: product.id, expand: ['data.product'] });
    expect(list.data[0]?.product).toMatchObject({ name: 'Expanded' });
    await expect(stripe.prices.retrieve(price.id, { expand: ['currency'] })).rejects.toMatchObject({ statusCode: 400 });
  });

  test('a request with the same Idempotency-Key is answered once; other parameters are refused', async () => {
    const idempotencyKey = `key-${Date.now()}-${Math.random()}`;
    const first = await stripe.customers.create({ name: 'Once' }, { idempotencyKey });
    const again = await stripe.customers.create({ name: 'Once' }, { idempotencyKey });
    expect(again.id).toBe(first.id);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    await expect(stripe.customers.create({ name: 'Twice' }, { idempotencyKey })).rejects.toBeInstanceOf(
      Stripe.errors.StripeIdempotencyError,
    );
  });

  test('requests that Stripe refuses are refused in its words', async () => {
    await expect(stripe.customers.create({ nonsense: 1 } as object)).rejects.toMatchObject({
      statusCode: 400,
      code: 'parameter_unknown',
      param: 'nonsense',
    });
    await expect(stripe.products.create({} as Stripe.ProductCreateParams)).rejects.toMatchObject({
      statusCode: 400,
      code: 'parameter_missing',
      param: 'name',
    });
    await expect(stripe.subscriptions.retrieve('sub_none')).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
    const old = new Stripe('sk_test_nobody', {
      host: stripe.getApiField('host'),
      port: stripe.getApiField('port'),
      protocol: stripe.getApiField('protocol'),
    });
    await expect(old.customers.list()).rejects.toMatchObject({ statusCode: 401 });
  });
});
