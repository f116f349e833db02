import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';
import { createPriceTag, newPerson, type Priced } from './testing/priced-tool.ts';

// Users who may have seen the lower price must approve the new one.

let app: TestApp;
let server: EndingServer;

beforeAll(async () => {
  server = await startEndingServer('modern');
  app = await startTestApp({ allowAddresses: [server.address], env: withoutHealthChecks });
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

const call = async (publicUrl: string, token: string) => {
  const params = { name: 'paid__say', arguments: { end: 'ok' } };
  return (await postModern(`${publicUrl}/mcp`, token, 'tools/call', params)).body.result;
};

test('if a server is not free for all, users know its price since their first access', async () => {
  const price = createPriceTag(app, server.url, { tier: 'T2' });
  await price.set(5);
  const before = new Date();
  await price.set(7);
  const after = new Date();
  const tomorrow = new Date(Date.now() + 24 * 60 * 60_000);
  const asks = async (...begins: ((person: Priced) => Promise<void>)[]) => {
    const person = await newPerson(app);
    await app.db.query('update users set created_at = $2 where id = $1', [person.userId, before]);
    for (const begin of begins) await begin(person);
    await app.billing.access.announce(person.userId);
    const result = await call(app.publicUrl, person.token);
    return Object(Object(result)._meta)['souk/code'] ?? 'ran';
  };
  const grant =
    (kind: 'rental' | 'purchase', serverId: string, at: Date, endedAt?: Date) =>
    async ({ userId }: Priced) => {
      await app.db.query(
        `insert into access_grants (id, user_id, livemode, server_id, kind, source, period, started_at, period_ends_at, ended_at)
         values (gen_random_uuid(), $1, false, $2, $3, 'administrator', $4, $5, $6, $7)`,
        [userId, serverId, kind, kind === 'rental' ? 'monthly' : null, at, tomorrow, endedAt ?? null],
      );
    };
  const plan =
    (planId: string, at: Date) =>
    async ({ userId }: Priced) => {
      await app.db.query(
        `insert into subscriptions (id, user_id, livemode, plan_id, source, started_at, period_ends_at)
         values (gen_random_uuid(), $1, false, $2, 'administrator', $3, $4)`,
        [userId, planId, at, tomorrow],
      );
    };
  const rental = (at: Date) => grant('rental', 'paid', at);
  expect(await asks(rental(before))).toBe('price_raised');
  expect(await asks(rental(after))).toBe('ran');
  expect(await asks(rental(after), grant('rental', 'other', before), plan('basic', before))).toBe('ran');
  // a returned item was seen
  expect(await asks(rental(after), grant('purchase', 'paid', before, before))).toBe('price_raised');
  expect(await asks(plan('pro', before))).toBe('price_raised');
  expect(await asks(plan('pro', after))).toBe('ran');
});

describe('if nothing is sold', () => {
  let off: TestApp;
  beforeAll(async () => {
    off = await startTestApp({
      allowAddresses: [server.address],
      env: { ...withoutHealthChecks, PAYMENTS: 'off' },
    });
  });
  afterAll(() => off?.stop());

  test('no approval is required, and a tool with a price is free', async () => {
    const { token } = await off.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
    const tag = createPriceTag(off, server.url);
    await tag.set(5);
    await tag.set(500);
    expect(await call(off.publicUrl, token)).toMatchObject({ content: [{ text: 'done' }] });
    expect(await usageRows(off)).toMatchObject([{ name: 'say', outcome: 'ok', credits: 0 }]);
  });
});
