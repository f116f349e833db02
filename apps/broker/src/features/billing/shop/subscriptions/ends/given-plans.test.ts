import { getSubscription } from '@souk/contract/billing/billing.ts';
import { cancelSubscription, resumeSubscription } from '@souk/contract/billing/payments.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { PAYMENTS: 'off' } });
});
afterAll(() => app?.stop());

test('if nothing is sold, a given plan can be canceled, and resumed until it ends', async () => {
  const email = 'given@souk.test';
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
  const [user] = await app.identity.users.find(email);
  const given = { id: crypto.randomUUID(), ends: new Date(Date.now() + 86_400_000) };
  await app.db.query(
    `insert into subscriptions (id, user_id, livemode, plan_id, source, started_at, period_ends_at)
     values ($1, $2, true, 'pro', 'administrator', now(), $3)`,
    [given.id, user?.id, given.ends],
  );
  const api = createClient([getSubscription, cancelSubscription, resumeSubscription] as const, {
    baseUrl: app.publicUrl,
    fetch,
    token: async () => accessToken,
  });
  const plan = async () => (await api.getSubscription()).subscription.subscriptions[0];
  const params = { id: given.id };
  expect(await api.cancelSubscription({ params })).toMatchObject({ endsAt: given.ends.toISOString() });
  expect(await plan()).toMatchObject({ status: 'canceled' });
  await expect(api.cancelSubscription({ params })).rejects.toMatchObject({ status: 409, code: 'not_active' });
  await api.resumeSubscription({ params });
  expect(await plan()).toMatchObject({ status: 'active' });
});
