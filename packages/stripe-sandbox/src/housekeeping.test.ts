import { expect, test } from 'vitest';
import { startTestSandbox } from './testing/start-test-sandbox.ts';

const dayMs = 24 * 3_600_000;

test('a start deletes events after 30 days and keys after one, and keeps purchases', async () => {
  const first = await startTestSandbox();
  const { storage } = first.options;
  const customer = await first.stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'key' });
  expect((await first.stripe.events.list()).data).toHaveLength(1);
  await first.stop();

  const at = async (days: number) => {
    const later = Date.now() + days * dayMs;
    const { stripe, stop } = await startTestSandbox({ storage, clock: { now: () => later } });
    const events = await stripe.events.list();
    const again = await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'key' });
    const kept = await stripe.customers.retrieve(customer.id);
    await stop();
    return { events: events.data.length, same: again.id === customer.id, kept: kept.id === customer.id };
  };
  expect(await at(0.5)).toEqual({ events: 1, same: true, kept: true });
  expect(await at(2)).toEqual({ events: 1, same: false, kept: true });
  expect(await at(33)).toMatchObject({ events: 0, kept: true });
});
