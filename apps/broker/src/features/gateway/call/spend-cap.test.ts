import { setSpendCap } from '@souk/contract/billing/billing.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';

const price = 5;
let app: TestApp;
let server: EndingServer;
let webToken: string;
let token: string;
let userId: string;

beforeAll(async () => {
  server = await startEndingServer('modern');
  app = await startTestApp({
    allowAddresses: [server.address],
    env: withoutHealthChecks,
  });
  const billing = { tier: 'T0', toolCosts: { say: price } };
  await deployManifest(app, { id: 'paid', connection: { type: 'http', url: server.url }, billing });
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});
beforeEach(async () => {
  const email = `${randomUUID()}@souk.test`;
  webToken = (await new ScriptedBrowser(app.publicUrl).signInWeb({ email })).accessToken;
  ({ token } = await app.identity.createPersonalToken({ email, name: 'test' }));
  userId = await giveCredits(app, email, 1000);
});

async function cap(monthlyCap?: unknown, of = userId, bearer = webToken) {
  const response = await fetch(`${app.publicUrl}/api/users/${of}/spend-cap`, {
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(monthlyCap !== undefined && { method: 'PUT', body: JSON.stringify({ monthlyCap }) }),
  });
  const body: unknown = await response.json();
  return { status: response.status, ...setSpendCap.answer.safeParse(body).data };
}
async function call() {
  const params = { name: 'paid__say', arguments: { end: 'ok' } };
  const { body } = await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', params);
  await app.billing.ledger.flush();
  return body.result ?? {};
}

test('a user sets, reads and removes the monthly cap on what calls may spend', async () => {
  const now = new Date();
  const resetsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString();
  expect(await cap()).toEqual({ status: 200, success: true, monthlyCap: null, spentThisMonth: 0, resetsAt });
  expect(await cap(100)).toMatchObject({ status: 200, monthlyCap: 100, spentThisMonth: 0 });
  await call();
  expect(await cap()).toMatchObject({ monthlyCap: 100, spentThisMonth: price });
  expect(await cap(null)).toMatchObject({ status: 200, monthlyCap: null });
});

test('a cap is a whole number of credits, of the caller only', async () => {
  for (const bad of [-1, 1.5, '7', 1e308]) expect((await cap(bad)).status, String(bad)).toBe(400);
  expect((await cap(7, randomUUID())).status).toBe(404);
  expect((await cap(undefined, randomUUID())).status).toBe(404);
  expect((await cap(7, userId, token)).status, 'a personal token may only read it').toBe(401);
  expect((await cap(undefined, userId, token)).status).toBe(200);
});

test('a call over the cap is not made: its result says why and what to do, and free credits stay', async () => {
  await cap(2 * price + 2);
  expect([(await call()).isError, (await call()).isError]).toEqual([undefined, undefined]);
  const before = server.requests;
  expect(await call()).toMatchObject({
    isError: true,
    content: [
      {
        text: `Needs 5 credits, and your monthly limit leaves 2 for this month (UTC). Nothing was charged. Raise the limit: ${app.publicUrl}/dashboard?tab=billing`,
      },
    ],
    _meta: {
      'souk/code': 'spend_cap_reached',
      'souk/required': price,
      'souk/available': 2,
      'souk/url': `${app.publicUrl}/dashboard?tab=billing`,
    },
  });
  expect(server.requests).toBe(before);
  await cap(3 * price);
  expect((await call()).isError).toBeUndefined();
  // spending of the last month is not counted
  await app.db.query(`update credit_accounts set month = month - interval '1 month' where user_id = $1`, [userId]);
  expect(await cap()).toMatchObject({ spentThisMonth: 0 });
  expect((await call()).isError).toBeUndefined();
});

test('a lowered cap also applies to credits that the broker has leased already', async () => {
  // a call with much credit makes the broker lease credits for more calls
  await call();
  const { rows } = await app.db.query<{ held: number }>('select held from credit_accounts where user_id = $1', [
    userId,
  ]);
  expect(rows[0]?.held).toBeGreaterThan(0);
  await cap(price);
  expect(await call()).toMatchObject({ _meta: { 'souk/code': 'spend_cap_reached', 'souk/available': 0 } });
});
