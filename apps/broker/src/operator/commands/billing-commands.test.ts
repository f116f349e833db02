import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { billingCommands } from './billing-commands.ts';
import { userCommands } from './user-commands.ts';

let started: Administration | undefined;
let shop: Administration['shop'];
let newPerson: Administration['newPerson'];
let audits: Administration['audits'];
beforeAll(async () => {
  started = await startAdministration();
  ({ shop, newPerson, audits } = started);
});
afterAll(() => started?.stop());

const run = (email: string, name: string, args: object = {}) =>
  billingCommands(shop)[name]?.({ email, operator: 'root', ...args }) ??
  Promise.reject(new Error(`no command ${name}`));

test('setting credits by command leaves an audit row that says who, whose, how many and why', async () => {
  const ann = await newPerson();
  const set = (credits: number, reason?: string) => run(ann.email, 'credits.set', { credits, reason });
  expect(await set(20, 'a gift')).toEqual({ credits: 20, change: 20 });
  expect(await set(20), 'the same again is no change').toEqual({ credits: 20, change: 0 });
  expect(await set(5)).toEqual({ credits: 5, change: -15 });
  expect(await run(ann.email, 'credits.show')).toEqual({ balance: 5, currency: 'USD', held: 0, debt: 0 });
  const row = { actor_id: null, action: 'credits.set' };
  expect(await audits(ann.userId)).toEqual([
    { ...row, reason: 'a gift', details: { credits: 20, change: 20, sandbox: true, operator: 'root' } },
    { ...row, reason: 'by command', details: { credits: 5, change: -15, sandbox: true, operator: 'root' } },
  ]);
  await expect(set(-1)).rejects.toMatchObject({ name: 'ZodError' });
  await expect(run('nobody@souk.test', 'credits.show')).rejects.toMatchObject({ code: 'not_found' });
});

test('the operator shows, gives and removes by commands, with a refund if requested, and leaves audit rows', async () => {
  const ann = await newPerson();
  await ann.rent('top');
  const { id } = (await ann.rental()) ?? {};
  const given = await run(ann.email, 'user.give', { type: 'rental', of: 'paid', period: 'daily' });
  const { rentals } = (await ann.api.getSubscription()).subscription;
  const day = rentals.find(({ mcpId }) => mcpId === 'paid');
  const rented = rentals.find((one) => one.id === id);
  expect(Date.parse(day?.endDate ?? '') - Date.parse(day?.startDate ?? '')).toBe(86_400_000);
  expect(given).toMatchObject({ id: day?.id, endsAt: day?.endDate });
  expect(await run(ann.email, 'user.show')).toMatchObject({
    user: { id: ann.userId, email: ann.email, role: 'user', isActive: true },
    billing: {
      rentals: [
        { mcpId: 'paid', type: 'daily', refund: null, charge: null },
        { id, refund: { amountCents: 899 }, charge: { amountCents: 900, currency: 'USD', at: rented?.endDate } },
      ],
    },
  });
  await expect(run(ann.email, 'user.give', { type: 'rental', of: 'none' })).rejects.toMatchObject({
    code: 'not_found',
  });
  const removed = await run(ann.email, 'user.remove', { subscription: id, refund: 'prorata' });
  expect(removed).toMatchObject({ refund: { result: 'refunded', amountCents: 899, currency: 'USD' } });
  expect((await shop.stripe.refunds.list({ limit: 1 })).data).toMatchObject([{ amount: 899 }]);
  const byCommand = { actor_id: null, reason: 'by command', details: expect.objectContaining({ operator: 'root' }) };
  expect(await audits(ann.userId)).toMatchObject([
    { action: 'access.given', ...byCommand },
    { action: 'access.removed', ...byCommand },
    { action: 'access.refunded' },
  ]);
  expect(await checkLedger(shop.db)).toEqual([]);
});

test('payments are listed and refunded by command, and a user is signed out, through the functions of the screen', async () => {
  const ann = await newPerson();
  const { price } = await ann.buyCredits();
  const listed = await run(ann.email, 'payments.list');
  expect(listed).toMatchObject({
    payments: [{ amount: price, refund: { refundedCents: 0, leftCents: price } }],
    nextCursor: null,
  });
  const payment: unknown = Object(listed).payments[0].id;
  expect(await run(ann.email, 'payments.refund', { payment, amountCents: 150 })).toEqual({
    result: 'refunded',
    amountCents: 150,
    currency: 'USD',
    error: null,
  });
  await expect(run(ann.email, 'payments.refund', { payment, amountCents: price })).rejects.toMatchObject({
    code: 'refund_too_high',
    message: `At most $${((price - 150) / 100).toFixed(2)} of this payment can be refunded.`,
  });
  const signOut = userCommands(shop.identity, { isRunning: true })['user.sign-out'];
  expect(await signOut?.({ email: ann.email, operator: 'root', revokeTokens: true })).toMatchObject({
    id: ann.userId,
    browsers: 1,
    apps: 0,
    tokens: 1,
  });
  const byCommand = { actor_id: null, reason: 'by command', details: expect.objectContaining({ operator: 'root' }) };
  expect(await audits(ann.userId)).toMatchObject([
    { action: 'user.refund-asked', ...byCommand },
    { action: 'user.refunded', details: { amount: 150 } },
    { action: 'user.signed-out', ...byCommand },
  ]);
});
