import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';

// How administrators set users' credits (specification part 2, sections 5 and 7).

let started: Administration | undefined;
let shop: Administration['shop'];
let administrator: Administration['administrator'];
let admin: Administration['admin'];
let send: Administration['send'];
let newPerson: Administration['newPerson'];

beforeAll(async () => {
  started = await startAdministration({ env: withoutHealthChecks });
  ({ shop, administrator, admin, send, newPerson } = started);
});
afterEach(async () => {
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => started?.stop());

test('[USR-20] [USR-27] [USR-28] [USR-29] credits are set as a promotion, with the reason, if any, in the ledger', async () => {
  const ann = await newPerson();
  const params = { id: ann.userId };
  const set = (body: unknown) => send(`PUT /admin/users/${ann.userId}/credits`, administrator.accessToken, body);
  expect(await set({ credits: 40, reason: 'a gift' })).toEqual({ status: 200, success: true, credits: 40, change: 40 });
  // two administrators saw 40: one of them sets it
  const sets = await Promise.all([5, 6, 7].map((credits) => set({ credits, expectedBalance: 40 })));
  expect(sets.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  const balance = sets.find(({ status }) => status === 200)?.credits;
  expect(sets.find(({ status }) => status === 409)).toMatchObject({
    code: 'changed_since_shown',
    message: `The balance is ${balance} now.`,
  });
  expect((await ann.api.getSubscription()).credits).toMatchObject({
    balance,
    parts: [{ source: 'promotional', credits: balance }],
  });
  await admin.setUserCredits({ params, body: { credits: 0 } });
  const { rows } = await shop.db.query(
    'select delta, contra, reason from ledger_entries where user_id = $1 order by id',
    [ann.userId],
  );
  expect(rows).toEqual([
    { delta: 40, contra: 'adjustment', reason: 'a gift' },
    { delta: balance - 40, contra: 'adjustment', reason: null },
    { delta: -balance, contra: 'adjustment', reason: null },
  ]);
});

test('[USR-22] [USR-24] credits must be a whole number from 0 on, and an unknown user is refused', async () => {
  const ann = await newPerson();
  const set = (body: unknown) => send(`PUT /admin/users/${ann.userId}/credits`, administrator.accessToken, body);
  await admin.setUserCredits({ params: { id: ann.userId }, body: { credits: 40 } });
  for (const credits of [-1, 1.5, 1e308, 1e12, '7', null, undefined])
    expect(await set({ credits }), String(credits)).toMatchObject({ status: 400, success: false });
  expect(await set({ credits: 1, reason: 'x'.repeat(501) })).toMatchObject({ status: 400 });
  expect(await ann.credits()).toBe(40);
  expect(await set({ credits: 0 })).toEqual({ status: 200, success: true, credits: 0, change: -40 });
  expect(
    await send(`PUT /admin/users/${crypto.randomUUID()}/credits`, administrator.accessToken, { credits: 1 }),
  ).toMatchObject({ status: 404, message: 'There is no such user' });
});

test('[USR-25] [USR-26] credits are not set below what a running call holds, nor if the balance has changed', async () => {
  const ann = await newPerson();
  const params = { id: ann.userId };
  const set = (body: object) => send(`PUT /admin/users/${ann.userId}/credits`, administrator.accessToken, body);
  await admin.setUserCredits({ params, body: { credits: 20 } });
  const callId = crypto.randomUUID();
  const hold = await shop.billing.charges.hold({
    callId,
    userId: ann.userId,
    serverId: 'paid',
    tool: 'echo',
    credits: 8,
  });
  if (hold.kind !== 'hold') throw new Error('there is no hold');
  expect(await set({ credits: 7 })).toMatchObject({
    status: 409,
    code: 'credits_held',
    message: 'Calls under way hold 8 credits.',
  });
  expect(await ann.credits()).toBe(20);
  expect(await set({ credits: 8, expectedBalance: 19 })).toMatchObject({ status: 409, code: 'changed_since_shown' });
  expect(await set({ credits: 8, expectedBalance: 20 })).toMatchObject({ status: 200, change: -12 });
  expect(await ann.credits()).toBe(8);
  hold.release('cancelled');
});

test('a balance above the maximum can be set lower, with the figure that was shown', async () => {
  const ann = await newPerson();
  const set = (body: object) => send(`PUT /admin/users/${ann.userId}/credits`, administrator.accessToken, body);
  expect(await set({ credits: 1_000_000_000 })).toMatchObject({ status: 200 });
  const { credits } = await ann.buyCredits();
  expect(await ann.credits()).toBe(1_000_000_000 + credits);
  expect(await set({ credits: 1_000_000_001, expectedBalance: 1_000_000_000 + credits })).toMatchObject({
    status: 400,
    message: 'credits: must be at most 1000000000',
  });
  expect(await set({ credits: 7, expectedBalance: 1_000_000_000 })).toMatchObject({ code: 'changed_since_shown' });
  expect(await set({ credits: 7, expectedBalance: 1_000_000_000 + credits })).toMatchObject({
    status: 200,
    credits: 7,
  });
  expect(await ann.credits()).toBe(7);
});
