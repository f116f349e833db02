import { exportMyData } from '@souk/contract/account.ts';
import { createClient } from '@souk/contract/client.ts';
import { moneyText } from '@souk/contract/billing/currencies.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { refundsOfIntent } from '#features/billing/shop/refunds/testing/refunds-at-provider.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { waitUntil } from '#testing/wait-until.ts';

// A user's page for administrators: what it shows, and the actions on it.

let started: Administration | undefined;
let shop: Administration['shop'];
let administrator: Administration['administrator'];
let admin: Administration['admin'];
let send: Administration['send'];
let newPerson: Administration['newPerson'];
let audits: Administration['audits'];

beforeAll(async () => {
  started = await startAdministration();
  ({ shop, administrator, admin, send, newPerson, audits } = started);
});
beforeEach(() => (shop.ahead.ms = 0));
afterEach(async () => {
  shop.control.resume();
  await shop.billing.payments?.events.idle();
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => started?.stop());

type Person = Awaited<ReturnType<typeof newPerson>>;
const of = ({ userId }: Person) => ({ params: { id: userId } });

/** Returns the payment of a user who bought credits, as an administrator sees it. */
async function paymentOf(person: Person) {
  const { payments } = await admin.listPersonPayments({ ...of(person), query: {} });
  const found = payments.find(({ type }) => type === 'credit_purchase');
  if (!found) throw new Error('nothing was paid');
  return found;
}
const refund = (person: Person, paymentId: string, amountCents: number, refundedCents = 0) =>
  admin.refundPayment({
    params: { id: person.userId, paymentId },
    body: { amountCents, refundedCents, reason: 'came twice' },
  });
const moneyOf = (cents: number) => moneyText(cents, 'USD');
const historyHas = (person: Person, row: string) =>
  waitUntil(`the history has ${row}`, async () => (await person.history()).includes(row));

test("a user’s page has the user's own data, and lists of another user are not on it", async () => {
  const [ann, bob] = [await newPerson(), await newPerson()];
  for (const one of [ann, bob]) {
    await one.buyCredits();
    await one.call('paid__echo');
  }
  await waitUntil('the calls are charged', async () => {
    const found = await Promise.all([ann, bob].map((one) => admin.listPersonLedger({ ...of(one), query: {} })));
    return found.every(({ entries }) => entries.some(({ kind }) => kind === 'usage'));
  });
  const { user, lastSeenAt } = await admin.getPerson(of(ann));
  expect(user).toMatchObject({ id: ann.userId, email: ann.email, provider: 'dev', role: 'user', isActive: true });
  expect(lastSeenAt).not.toBeNull();

  const { entries, credits } = await admin.listPersonLedger({ ...of(ann), query: {} });
  const bought = await paymentOf(ann);
  const usage = entries.find(({ kind }) => kind === 'usage');
  expect(usage).toMatchObject({ change: -3, calls: 1, payment: null });
  expect(entries.find(({ kind }) => kind === 'purchased')).toMatchObject({
    calls: 0,
    payment: { id: bought.id, description: bought.description },
  });
  expect(credits).toMatchObject({ balance: entries[0]?.balanceAfter, debt: 0, plan: 0 });
  expect(credits.purchased + credits.promotional).toBe(credits.balance);
  const { entries: changes } = await admin.listPersonLedger({ ...of(ann), query: { show: 'changes' } });
  expect(changes).toEqual(entries.filter(({ kind }) => kind !== 'usage'));

  const { calls } = await admin.listPersonCalls({ ...of(ann), query: {} });
  expect(calls).toMatchObject([
    { serverId: 'paid', name: 'echo', credits: 3, client: { kind: 'token', name: 'test' } },
  ]);
  const ofEntry = { params: { id: ann.userId, entryId: usage?.id ?? '' } };
  expect((await admin.listLedgerCalls(ofEntry)).calls).toEqual(calls);
  expect(JSON.stringify(calls), 'no arguments').not.toContain('hi');
  await expect(admin.listLedgerCalls({ params: { ...ofEntry.params, id: bob.userId } })).rejects.toMatchObject({
    code: 'not_found',
  });

  const { tokens, webSessions, apps } = await admin.listPersonConnections(of(ann));
  expect([tokens.length, webSessions.length, apps.length]).toEqual([1, 1, 0]);
  expect(ann.token.startsWith(tokens[0]?.prefix ?? '-'), 'its beginning').toBe(true);
  const seen = await Promise.all([
    admin.listPersonConnections(of(ann)),
    admin.listPersonPayments({ ...of(ann), query: {} }),
    admin.listPersonSignIns({ ...of(ann), query: {} }),
  ]);
  expect(JSON.stringify(seen)).not.toContain(ann.token);
  expect(seen[2].signIns).toMatchObject([
    { provider: 'dev', address: expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$|^::1$/), outcome: 'signed_in' },
  ]);
  const foreign = [
    `DELETE /admin/users/${bob.userId}/tokens/${tokens[0]?.id}`,
    `DELETE /admin/users/${bob.userId}/apps/${webSessions[0]?.id}`,
    `POST /admin/users/${bob.userId}/payments/${bought.id}/refund`,
    `GET /admin/users/${bob.userId}/payments/${bought.id}/refund?amountCents=100`,
  ];
  for (const call of foreign) {
    const body = call.startsWith('POST') ? { amountCents: 100, refundedCents: 0, reason: 'x' } : {};
    expect(await send(call, administrator.accessToken, call.startsWith('GET') ? undefined : body), call).toMatchObject({
      status: 404,
    });
  }
  const { payments } = await admin.listPersonPayments({ ...of(bob), query: { payment: bought.id } });
  expect(payments).toEqual([]);
  expect(await ann.call('paid__echo'), 'nothing of hers has ended').not.toMatchObject({ isError: true });
});

test('a payment is refunded in part, then in full; the user finds it in their history, and the credits are clawed back', async () => {
  const ann = await newPerson();
  const { intentId, credits: granted, price } = await ann.buyCredits();
  const payment = await paymentOf(ann);
  expect(payment.refund).toEqual({ refundedCents: 0, pendingCents: 0, leftCents: price });
  const before = await ann.credits();
  const part = Math.floor(price / 4);
  const params = { id: ann.userId, paymentId: payment.id };
  const { credits, runs } = await admin.previewRefund({ params, query: { amountCents: part } });
  expect({ credits, runs }).toEqual({
    credits: { granted, taken: Math.ceil((granted * part) / price), owed: 0 },
    runs: null,
  });
  expect(await refund(ann, payment.id, part)).toMatchObject({ result: 'refunded', amountCents: part, error: null });
  await historyHas(ann, `refund completed ${part}`);
  expect(await ann.credits()).toBe(before - credits.taken);
  await expect(refund(ann, payment.id, part), 'another administrator saw less').rejects.toMatchObject({
    code: 'changed_since_shown',
  });
  await expect(refund(ann, payment.id, price, part)).rejects.toMatchObject({ code: 'refund_too_high' });
  expect((await paymentOf(ann)).refund).toEqual({ refundedCents: part, pendingCents: 0, leftCents: price - part });
  expect(await refund(ann, payment.id, price - part, part)).toMatchObject({ result: 'refunded' });
  await historyHas(ann, `refund completed ${price - part}`);
  await expect(refund(ann, payment.id, 1, price)).rejects.toMatchObject({ code: 'refund_impossible' });
  expect((await refundsOfIntent(shop, intentId)).toSorted((a, b) => a - b)).toEqual([part, price - part]);
  expect(await audits(ann.userId)).toMatchObject([
    {
      action: 'user.refund-asked',
      actor_id: administrator.userId,
      reason: 'came twice',
      details: { paymentId: payment.id, amount: part, before: { refunded: '$0' } },
    },
    { action: 'user.refunded', details: { paymentId: payment.id, amount: part } },
    {
      action: 'user.refund-asked',
      details: { before: { refunded: moneyOf(part) }, after: { refunded: moneyOf(price) } },
    },
    { action: 'user.refunded', details: { amount: price - part } },
  ]);
  const { entries } = await admin.listPersonLedger({ ...of(ann), query: { show: 'changes' } });
  const [last] = entries;
  expect(last).toMatchObject({ kind: 'refund', payment: { description: `Refund: ${payment.description}` } });
});

test('two administrators who refund one payment concurrently refund no more than was paid, also before its event has arrived', async () => {
  const ann = await newPerson();
  const { intentId, price } = await ann.buyCredits();
  const { id } = await paymentOf(ann);
  shop.control.pause();
  const most = Math.ceil(price * 0.6);
  const told = await Promise.all(
    [0, 1, 2].map(() =>
      refund(ann, id, most).then(
        ({ result }) => result,
        ({ code }) => code,
      ),
    ),
  );
  expect(told.toSorted()).toEqual(['changed_since_shown', 'changed_since_shown', 'refunded']);
  expect((await paymentOf(ann)).refund, 'its event has not arrived').toEqual({
    refundedCents: 0,
    pendingCents: most,
    leftCents: price - most,
  });
  await expect(refund(ann, id, most, most)).rejects.toMatchObject({ code: 'refund_too_high' });
  expect(await refundsOfIntent(shop, intentId)).toEqual([most]);
  shop.control.resume();
  await historyHas(ann, `refund completed ${most}`);
  expect((await paymentOf(ann)).refund).toEqual({ refundedCents: most, pendingCents: 0, leftCents: price - most });
});

test('a refund of spent credits says that they are owed, and a large refund asks for a new sign-in', async () => {
  const ann = await newPerson();
  const { credits: granted, price } = await ann.buyCredits();
  const { id } = await paymentOf(ann);
  await admin.setUserCredits({ ...of(ann), body: { credits: 10 } });
  const params = { id: ann.userId, paymentId: id };
  const { credits } = await admin.previewRefund({ params, query: { amountCents: price } });
  expect(credits).toEqual({ granted, taken: granted, owed: granted - 10 });
  shop.ahead.ms = 16 * 60_000;
  const body = { amountCents: price, refundedCents: 0, reason: 'x' };
  const dear: [string, object][] = [
    [`POST /admin/users/${ann.userId}/payments/${id}/refund`, body],
    [`POST /admin/users/${ann.userId}/sign-out`, {}],
    [`POST /admin/users/${ann.userId}/export`, {}],
  ];
  for (const [call, sent] of dear)
    expect(await send(call, administrator.accessToken, sent), call).toMatchObject({ code: 'sign_in_again' });
  shop.ahead.ms = 0;
  expect((await paymentOf(ann)).refund?.leftCents, 'nothing was refunded').toBe(price);
  await refund(ann, id, price);
  await historyHas(ann, `refund completed ${price}`);
  const { billing } = await admin.getUserBilling({ params: { userId: ann.userId } });
  expect(billing.credits).toMatchObject({ balance: 0, debt: credits.owed });
});

test('a refund without a response of the provider is made later automatically, once; a refused one is reported with its reason', async () => {
  const ann = await newPerson();
  const { intentId, chargeId, price } = await ann.buyCredits();
  const { id } = await paymentOf(ann);
  await shop.network.stop();
  try {
    expect(await refund(ann, id, 100)).toMatchObject({ result: 'pending', amountCents: 100 });
  } finally {
    await shop.network.resume();
  }
  expect((await paymentOf(ann)).refund).toMatchObject({ pendingCents: 100, leftCents: price - 100 });
  shop.ahead.ms = 120_000;
  await shop.billing.payments?.refunds.payDue();
  await shop.billing.payments?.refunds.payDue();
  expect(await refundsOfIntent(shop, intentId)).toEqual([100]);
  await historyHas(ann, 'refund completed 100');
  // before the broker is notified
  shop.control.pause();
  await shop.control.openDispute(chargeId);
  const refused = await refund(ann, id, 200, 100);
  expect(refused).toMatchObject({ result: 'failed', error: expect.stringContaining('charged back') });
  expect((await paymentOf(ann)).refund, 'nothing is pending').toMatchObject({ pendingCents: 0 });
});

test('a disputed payment shows its deadline for a response, and can be refunded only once the dispute is won', async () => {
  const ann = await newPerson();
  const { intentId, chargeId, price, credits } = await ann.buyCredits();
  const { id, dispute: none } = await paymentOf(ann);
  expect(none).toBeNull();
  await refund(ann, id, 100);
  await historyHas(ann, 'refund completed 100');
  const disputeIs = (state: string) =>
    waitUntil(`the dispute is ${state}`, async () => (await paymentOf(ann)).dispute?.state === state);
  const dispute = await shop.control.openDispute(chargeId);
  await disputeIs('to-answer');
  const { evidence_details: details } = await shop.stripe.disputes.retrieve(dispute);
  const dueBy = new Date((details.due_by ?? 0) * 1000).toISOString();
  const blocked = { refundedCents: 100, pendingCents: 0, leftCents: 0 };
  expect(await paymentOf(ann)).toMatchObject({ dispute: { state: 'to-answer', dueBy }, refund: blocked });
  const refusal = (message: RegExp) =>
    expect.objectContaining({ status: 409, code: 'refund_impossible', message: expect.stringMatching(message) });
  const preview = () => admin.previewRefund({ params: { id: ann.userId, paymentId: id }, query: { amountCents: 50 } });
  const open = refusal(/^This payment is disputed, .*: answer it at the payment provider\.$/);
  await expect(refund(ann, id, 50, 100)).rejects.toEqual(open);
  await expect(preview()).rejects.toEqual(open);
  await shop.control.closeDispute(dispute, 'lost');
  await disputeIs('lost');
  expect((await paymentOf(ann)).dispute).toEqual({
    state: 'lost',
    credits: credits - Math.ceil((credits * 100) / price),
    dueBy: null,
  });
  await expect(refund(ann, id, 50, 100)).rejects.toEqual(refusal(/its dispute is lost/));
  expect(await refundsOfIntent(shop, intentId), 'the provider was not contacted').toEqual([100]);
  await shop.control.closeDispute(dispute, 'won');
  await disputeIs('won');
  await historyHas(ann, `refund failed ${price}`);
  expect((await paymentOf(ann)).refund).toEqual({ ...blocked, leftCents: price - 100 });
  // an inquiry takes no money
  const bob = await newPerson();
  const asked = await bob.buyCredits();
  await shop.control.openDispute(asked.chargeId, { status: 'warning_needs_response' });
  await waitUntil('the dispute to be an inquiry', async () => (await paymentOf(bob)).dispute?.state === 'inquiry');
  expect((await paymentOf(bob)).refund).toMatchObject({ leftCents: asked.price });
});

test('a user who is signed out everywhere loses all open sessions; their tokens keep working unless they are revoked', async () => {
  const ann = await newPerson();
  const { accessToken } = await new ScriptedBrowser(shop.publicUrl).signInMcpClient({ email: ann.email });
  const client = await connectModern(`${shop.publicUrl}/mcp`, accessToken);
  await client.listTools();
  const statusOf = async (token: string, path = '/mcp') =>
    (
      await fetch(`${shop.publicUrl}${path}`, {
        method: path === '/mcp' ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${token}` },
      })
    ).status;
  expect(await admin.signOutPerson({ ...of(ann), body: { reason: 'lost laptop' } })).toMatchObject({
    browsers: 1,
    apps: 1,
    tokens: 0,
  });
  expect(await statusOf(accessToken)).toBe(401);
  expect(await statusOf(ann.accessToken, '/v2/user/profile')).toBe(401);
  await expect(client.callTool({ name: 'paid__echo', arguments: { text: 'hi' } })).rejects.toThrow('unauthenticated');
  expect(await ann.tools(), 'her token').toContain('paid__echo');
  expect(await admin.listPersonConnections(of(ann))).toMatchObject({ apps: [], webSessions: [] });
  expect(await admin.signOutPerson({ ...of(ann), body: { revokeTokens: true } })).toMatchObject({ tokens: 1 });
  expect(await statusOf(ann.token)).toBe(401);
  expect(await audits(ann.userId)).toMatchObject([
    { action: 'user.signed-out', reason: 'lost laptop', details: { browsers: 1, apps: 1, tokens: 0 } },
    { action: 'user.signed-out', details: { browsers: 0, apps: 0, tokens: 1 } },
  ]);
  await expect(admin.signOutPerson({ params: { id: administrator.userId }, body: {} })).rejects.toMatchObject({
    code: 'own_account',
  });
  await client.close();
});

test('one app is disconnected and one token revoked, each with an audit row without secrets', async () => {
  const ann = await newPerson();
  const { accessToken } = await new ScriptedBrowser(shop.publicUrl).signInMcpClient({ email: ann.email });
  const { apps, tokens } = await admin.listPersonConnections(of(ann));
  const [app, token] = [apps[0], tokens[0]];
  await admin.disconnectPersonApp({ params: { id: ann.userId, appId: app?.id ?? '' }, body: { reason: 'unknown' } });
  const asks = (bearer: string) =>
    fetch(`${shop.publicUrl}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${bearer}` } });
  expect((await asks(accessToken)).status).toBe(401);
  await admin.revokePersonToken({ params: { id: ann.userId, tokenId: token?.id ?? '' }, body: {} });
  expect((await asks(ann.token)).status).toBe(401);
  expect(await audits(ann.userId)).toMatchObject([
    { action: 'user.app-disconnected', reason: 'unknown', details: { name: app?.clientName } },
    { action: 'user.token-revoked', details: { prefix: token?.prefix } },
  ]);
});

test('sign-ins are listed, also refused ones, until the account is erased', async () => {
  const ann = await newPerson();
  await admin.deactivateUser({ ...of(ann), body: { reason: 'spam' } });
  await new ScriptedBrowser(shop.publicUrl).signInWeb({ email: ann.email }).catch(() => {});
  const first = await admin.listPersonSignIns({ ...of(ann), query: { limit: 1 } });
  expect(first.signIns).toMatchObject([{ outcome: 'deactivated' }]);
  const second = await admin.listPersonSignIns({ ...of(ann), query: { limit: 1, cursor: first.nextCursor ?? '' } });
  expect(second).toMatchObject({ signIns: [{ outcome: 'signed_in' }], nextCursor: null });
  await admin.eraseUser({ ...of(ann), body: { confirm: ann.email } });
  expect((await shop.db.query('select from sign_ins where user_id = $1', [ann.userId])).rows).toEqual([]);
  const gone = ['', '/ledger', '/payments', '/calls', '/connections', '/sign-ins'];
  for (const part of gone) {
    const call = `GET /admin/users/${ann.userId}${part}`;
    expect(await send(call, administrator.accessToken), call).toMatchObject({ status: 404 });
  }
});

test('an administrator’s export of a user is the same that the user gets, and is audited', async () => {
  const ann = await newPerson();
  await ann.buyCredits();
  const own = createClient([exportMyData] as const, {
    baseUrl: shop.publicUrl,
    fetch,
    token: async () => ann.accessToken,
  });
  const theirs = await own.exportMyData({ params: { userId: ann.userId } });
  const taken = await admin.exportPerson({ ...of(ann), body: { reason: 'asked by letter' } });
  expect(Object.keys(taken.data)).toContain('signInHistory');
  expect(taken.data).toEqual(theirs.data);
  expect(JSON.stringify(taken)).not.toContain(ann.token);
  expect(await audits(ann.userId)).toMatchObject([
    { action: 'user.exported', actor_id: administrator.userId, reason: 'asked by letter' },
  ]);
});
