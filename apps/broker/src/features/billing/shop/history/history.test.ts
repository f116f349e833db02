import { randomUUID } from 'node:crypto';
import {
  billingHistoryEndpoints,
  transactionStatusSchema,
  transactionTypeSchema,
} from '@souk/contract/billing/billing-history.ts';
import { createClient } from '@souk/contract/client.ts';
import { getUserProfile } from '@souk/contract/identity.ts';
import { getCallsCsv } from '@souk/contract/usage.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';

let app: TestApp;
let fixture: HttpFixture;
let people = 0;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  await deployManifest(app, {
    id: 'paid',
    connection: { type: 'http', url: fixture.url },
    billing: { tier: 'T0', toolCosts: { echo: 5, capabilities: 2 } },
  });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const endpoints = [...billingHistoryEndpoints, getCallsCsv, getUserProfile] as const;

async function newPerson() {
  const email = `person-${(people += 1)}@souk.test`;
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
  const { token } = await app.identity.createPersonalToken({ email, name: 'my laptop' });
  const api = createClient(endpoints, { baseUrl: app.publicUrl, fetch, token: async () => accessToken });
  const { id: userId } = await api.getUserProfile();
  const call = async (name: string) => {
    await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', { name, arguments: {} });
    await app.billing.ledger.flush();
    await app.usage.flush();
  };
  return { email, accessToken, token, api, userId, params: { userId }, call };
}
type Person = Awaited<ReturnType<typeof newPerson>>;

/** Inserts a row as a payment or a refund leaves it. */
async function add({ userId }: Person, transaction: Record<string, unknown> = {}): Promise<string> {
  const row = {
    id: randomUUID(),
    user_id: userId,
    livemode: false,
    type: 'credit_purchase',
    status: 'completed',
    description: '1,000 credits',
    server_id: null,
    amount: 900,
    currency: 'USD',
    idem: randomUUID(),
    created_at: new Date().toISOString(),
    ...transaction,
  };
  const names = Object.keys(row);
  await app.db.query(
    `insert into transactions (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  );
  return row.id;
}

async function download(path: string, token?: string, headers: Record<string, string> = {}) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${app.publicUrl}${path}`, { headers: { ...headers, ...authorization } });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

describe('the billing dashboard', () => {
  test('of a user without payments is empty', async () => {
    const { api, params } = await newPerson();
    expect((await api.getBillingDashboard({ params })).data).toEqual({
      totalSpent: 0,
      currency: 'USD',
      totalTransactions: 0,
      recentTransactions: [],
    });
  });

  test('[HIST-1] [HIST-2] has the amount spent, less refunds, and the newest ten transactions', async () => {
    const person = await newPerson();
    for (let day = 1; day <= 10; day++) await add(person, { created_at: `2026-03-${10 + day}`, amount: 100 });
    await add(person, { type: 'rental_create', status: 'refunded', amount: 700, created_at: '2026-03-21' });
    await add(person, { type: 'refund', amount: 700, created_at: '2026-03-22' });
    await add(person, { type: 'refund', amount: 40, created_at: '2026-03-23' });
    await add(person, { status: 'pending', amount: 5000, created_at: '2026-03-24' });
    await add(person, { status: 'failed', amount: 5000, created_at: '2026-03-25' });
    await add(person, { type: 'rental_cancel', amount: 0, created_at: '2026-03-26' });
    // real payments, for which this installation has no key
    await add(person, { livemode: true, amount: 90_000 });
    const id = await add(person, {
      type: 'rental_create',
      description: 'Rental of Pro',
      server_id: 'pro',
      amount: 950,
      currency: 'usd',
      receipt_url: 'https://pay.example/receipt',
      created_at: '2026-03-27T01:02:03.004Z',
    });
    const { success, data } = await person.api.getBillingDashboard({ params: person.params });
    expect(success).toBe(true);
    expect(data).toMatchObject({ totalSpent: 1000 + 950 - 40, currency: 'USD', totalTransactions: 17 });
    expect(data.recentTransactions).toHaveLength(10);
    expect(data.recentTransactions[0]).toEqual({
      id,
      status: 'completed',
      type: 'rental_create',
      description: 'Rental of Pro',
      mcpId: 'pro',
      amount: 950,
      currency: 'USD',
      createdAt: '2026-03-27T01:02:03.004Z',
      receiptUrl: 'https://pay.example/receipt',
      dispute: null,
    });
    expect(data.recentTransactions.map(({ createdAt }) => createdAt)).toEqual(
      data.recentTransactions
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .toReversed(),
    );
  });
});

describe('the list of transactions', () => {
  test('[HIST-3] takes page, pageSize, startDate, endDate, type and status', async () => {
    const person = await newPerson();
    const { api, params } = person;
    const dates = ['2026-02-01T00:00:00Z', '2026-02-02T23:59:59.999Z', '2026-02-03T00:00:00Z', '2026-02-04T12:00:00Z'];
    for (const created_at of dates) await add(person, { created_at, description: created_at.slice(8, 10) });
    await add(person, { created_at: '2026-02-05', description: '05', type: 'refund', status: 'pending' });
    const days = async (query: Parameters<typeof api.listTransactions>[0]['query']) => {
      const { data } = await api.listTransactions({ params, query });
      return data.transactions.map(({ description }) => description).join(' ');
    };
    expect(await days({})).toBe('05 04 03 02 01');
    expect(await days({ pageSize: 2, page: 1 })).toBe('05 04');
    expect(await days({ pageSize: 2, page: 3 })).toBe('01');
    expect((await api.listTransactions({ params, query: { pageSize: 2, page: 3 } })).data.pagination).toEqual({
      page: 3,
      pageSize: 2,
      total: 5,
      pages: 3,
    });
    // both days are inclusive, in UTC
    expect(await days({ startDate: '2026-02-02', endDate: '2026-02-02' })).toBe('02');
    expect(await days({ startDate: '2026-02-03', endDate: '2026-02-04' })).toBe('04 03');
    // so are moments, also in other time zones
    expect(await days({ startDate: '2026-02-04T13:00:00+01:00', endDate: '2026-02-04T12:00:00Z' })).toBe('04');
    expect(await days({ type: 'refund' })).toBe('05');
    expect(await days({ status: 'completed', endDate: '2026-02-01' })).toBe('01');
    expect(await days({ type: 'refund', status: 'completed' })).toBe('');
    // the first and the last day that are accepted
    expect(await days({ startDate: '0001-01-01', endDate: '9999-12-31' })).toBe('05 04 03 02 01');
    expect(await days({ startDate: '9999-12-31', endDate: '0001-01-01' })).toBe('');
  });

  test('[HIST-4] [HIST-5] every type and status of the specification can be stored and returned; others are refused', async () => {
    const person = await newPerson();
    const types =
      'credit_purchase subscription_create subscription_update subscription_cancel rental_create rental_cancel';
    for (const type of [...types.split(' '), 'refund']) {
      for (const status of ['pending', 'completed', 'failed', 'refunded']) await add(person, { type, status });
    }
    const { params } = person;
    const { data } = await person.api.listTransactions({ params, query: { pageSize: 100 } });
    expect(data.transactions).toHaveLength(28);
    for (const type of transactionTypeSchema.options) {
      for (const status of transactionStatusSchema.options) {
        const { data: found } = await person.api.listTransactions({ params, query: { type, status } });
        expect(found.transactions, `${type} ${status}`).toEqual([expect.objectContaining({ type, status })]);
      }
    }
    const path = `/v2/billing-history/user/${person.userId}/transactions`;
    for (const bad of ['type=gift', 'status=done', 'page=0', 'pageSize=0', 'pageSize=101', 'startDate=monday'])
      expect((await download(`${path}?${bad}`, person.accessToken)).status, bad).toBe(400);
    await expect(add(person, { type: 'gift' })).rejects.toThrow(/check constraint/);
    await expect(add(person, { status: 'done' })).rejects.toThrow(/check constraint/);
  });
});

describe('the history of credits', () => {
  test('[HIST-6] [HIST-7] [HIST-8] lists the calls that cost credits, newest first, by page and period', async () => {
    const person = await newPerson();
    const { api, params } = person;
    await giveCredits(app, person.email, 100);
    await person.call('paid__echo');
    await person.call('paid__hang__nothing');
    await person.call('paid__region');
    await person.call('paid__capabilities');
    const { success, data } = await api.getCreditHistory({ params, query: {} });
    expect(success).toBe(true);
    const written = (await usageRows(app, person.userId)).filter(({ credits }) => credits > 0);
    const { rows: times } = await app.db.query<{ created_at: Date }>(
      'select created_at from usage_events where user_id = $1 and credits > 0 order by created_at desc',
      [person.userId],
    );
    expect(data.usage).toEqual([
      {
        id: written[1]?.callId,
        mcpId: 'paid',
        toolName: 'capabilities',
        amount: 2,
        timestamp: times[0]?.created_at.toISOString(),
        metadata: {},
      },
      {
        id: written[0]?.callId,
        mcpId: 'paid',
        toolName: 'echo',
        amount: 5,
        timestamp: times[1]?.created_at.toISOString(),
        metadata: {},
      },
    ]);
    expect(data.pagination).toEqual({ page: 1, pageSize: 20, total: 2, pages: 1 });
    expect(Date.now() - Date.parse(data.usage[0]?.timestamp ?? '')).toBeLessThan(60_000);
    const second = await api.getCreditHistory({ params, query: { limit: 1, page: 2 } });
    expect(second.data.usage.map(({ toolName }) => toolName)).toEqual(['echo']);
    expect(second.data.pagination).toEqual({ page: 2, pageSize: 1, total: 2, pages: 2 });
    const [newest, oldest] = data.usage.map(({ timestamp }) => timestamp);
    const names = async (query: { startDate?: string; endDate?: string }) =>
      (await api.getCreditHistory({ params, query })).data.usage.map(({ toolName }) => toolName);
    expect(await names({ startDate: newest ?? '' })).toEqual(['capabilities']);
    expect(await names({ endDate: oldest ?? '' })).toEqual(['echo']);
    expect(await names({ endDate: '2020-01-01' })).toEqual([]);
    const path = `/api/users/${person.userId}/credit-history`;
    expect((await download(`${path}?limit=1000`, person.accessToken)).status).toBe(200);
    expect((await download(`${path}?limit=1001`, person.accessToken)).status).toBe(400);
    // a call that was paid with real credits is not shown by this installation, which has no live key
    await app.db.query('update usage_events set livemode = true where call_id = $1', [data.usage[0]?.id]);
    expect(await names({})).toEqual(['echo']);
  });
});

describe('files', () => {
  test('of transactions, credits and calls are CSV without formulas', async () => {
    const person = await newPerson();
    await giveCredits(app, person.email, 100);
    await person.call('paid__echo');
    const hostile = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '\uFF1D1'];
    for (const [index, text] of ['He said "no", twice', ...hostile].entries())
      await add(person, { description: text, created_at: `2026-05-${10 + index}` });
    const base = `/v2/billing-history/user/${person.userId}`;
    const { status, headers, text } = await download(`${base}/transactions.csv`, person.accessToken);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="transactions.csv"');
    expect(headers.get('cache-control')).toBe('no-store');
    const lines = text.split('\r\n');
    expect(lines[0]).toBe(
      '"id","createdAt","type","status","description","service","amount","currency","receiptUrl","dispute"',
    );
    expect(lines).toHaveLength(1 + 9 + 1);
    expect(lines.at(-2)).toMatch(
      /^"[0-9a-f-]{36}","2026-05-10T00:00:00\.000Z","credit_purchase","completed","He said ""no"", twice",,"9\.00","USD",,$/,
    );
    for (const one of hostile) expect(text).toContain(`"completed","'${one}",`);
    expect(text).not.toMatch(/,"[=+\-@\t\r]/);
    const narrowed = await download(
      `${base}/transactions.csv?endDate=2026-05-11&type=credit_purchase`,
      person.accessToken,
    );
    expect(narrowed.text.split('\r\n')).toHaveLength(1 + 2 + 1);

    const credits = await download(`/api/users/${person.userId}/credit-history.csv`, person.accessToken);
    expect(credits.text).toMatch(
      /^"id","timestamp","service","tool","credits"\r\n"[^"]+","[^"]+","paid","echo",5\r\n$/,
    );
    const calls = await person.api.getCallsCsv({ params: person.params, query: {} });
    expect(calls).toMatch(/\r\n"[^"]+","[^"]+","my laptop","paid","tool","echo",\d+,"ok",,5,1\r\n$/);
  });

  test('of transactions say for a disputed payment what the bank has done with the money', async () => {
    const person = await newPerson();
    const told = {
      warning_needs_response: 'inquiry',
      needs_response: 'open',
      won: 'payment stands',
      lost: 'refunded by the bank',
    };
    for (const status of Object.keys(told)) {
      await add(person, { payment_intent_id: `pi_${status}_${person.userId}`, description: status });
      await app.db.query(
        `insert into disputes (id, livemode, user_id, status, reason, amount, currency, opened_at, payment_intent_id)
         values ($1, false, $2, $3, 'general', 900, 'USD', now(), $4)`,
        [randomUUID(), person.userId, status, `pi_${status}_${person.userId}`],
      );
    }
    await add(person, { description: 'undisputed' });
    const { text } = await download(`/v2/billing-history/user/${person.userId}/transactions.csv`, person.accessToken);
    for (const [status, words] of Object.entries(told))
      expect(text).toMatch(new RegExp(`,"${status}",[^\\n]*,"${words}"\\r\\n`));
    expect(text).toMatch(/,"undisputed",[^\n]*"USD",,\r\n/);
  });

  test('a hostile tool name is no formula either', async () => {
    const person = await newPerson();
    await person.call('=cmd|calc');
    const calls = await person.api.getCallsCsv({ params: person.params, query: {} });
    expect(calls).toContain(`"'=cmd|calc"`);
  });
});

test('histories are visible to their own user only, and a cookie does not open them', async () => {
  const [ann, bob] = [await newPerson(), await newPerson()];
  await add(ann);
  const browser = new ScriptedBrowser(app.publicUrl);
  await browser.signInWeb({ email: ann.email });
  const paths = (userId: string) => [
    `/v2/billing-history/user/${userId}/dashboard`,
    `/v2/billing-history/user/${userId}/transactions`,
    `/v2/billing-history/user/${userId}/transactions.csv`,
    `/api/users/${userId}/credit-history`,
    `/api/users/${userId}/credit-history.csv`,
    `/api/users/${userId}/calls.csv`,
  ];
  for (const path of paths(ann.userId)) {
    expect((await download(path, bob.accessToken)).status, path).toBe(404);
    expect((await browser.request(path)).status, path).toBe(401);
    expect((await download(path, ann.token)).status, path).toBe(200);
  }
  for (const path of paths(bob.userId))
    expect((await download(path, bob.accessToken)).text).not.toContain('1,000 credits');
});

test('transactions are in the export, and are kept after a deletion without anything that identifies the user', async () => {
  const person = await newPerson();
  await add(person, { receipt_url: 'https://pay.example/receipt/of/ann' });
  const exported = await download(`/api/users/${person.userId}/export`, person.accessToken);
  expect(exported.text).toContain('https://pay.example/receipt/of/ann');
  const deleted = await fetch(`${app.publicUrl}/api/users/${person.userId}/account`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${person.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ confirm: person.email }),
  });
  expect(deleted.status).toBe(200);
  const left = await app.db.query('select amount, receipt_url from transactions where user_id = $1', [person.userId]);
  expect(left.rows).toEqual([{ amount: 900, receipt_url: null }]);
});
