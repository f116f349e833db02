import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { getSubscription } from '@souk/contract/billing/billing.ts';
import { getUserProfile } from '@souk/contract/identity.ts';
import { createClient } from '@souk/contract/client.ts';
import type { Database } from '#platform/db/database.ts';
import { migrations } from '../../../migrations.ts';

/** Key of one database, across its starts. */
const masterKey = randomBytes(32).toString('base64url');

const by = { operator: 'test', reason: 'as a present' };
const live = { STRIPE_SECRET_KEY: 'sk_live_x', STRIPE_WEBHOOK_SECRET: 'whsec_x' };
const off = { PAYMENTS: 'off' };

describeOnEmbedded('items that an administrator gave while nothing was sold', migrations, (open) => {
  let db: Database;
  let app: TestApp | undefined;
  beforeEach(async () => {
    db = await open();
  });
  afterEach(async () => {
    await app?.stop();
    app = undefined;
  });

  async function start(env: NodeJS.ProcessEnv): Promise<TestApp> {
    await app?.stop();
    app = await startTestApp({
      db: { ...db, close: async () => {} },
      env: { MASTER_KEY: masterKey, ...env },
    });
    return app;
  }
  async function person(of: TestApp, email: string) {
    const { accessToken } = await new ScriptedBrowser(of.publicUrl).signInWeb({ email });
    const api = createClient([getUserProfile, getSubscription] as const, {
      baseUrl: of.publicUrl,
      fetch,
      token: async () => accessToken,
    });
    return { userId: (await api.getUserProfile()).id, api };
  }
  async function owns(of: TestApp, email: string) {
    const { subscription, credits } = await (await person(of, email)).api.getSubscription();
    return [...subscription.subscriptions.map(({ mcpId }) => mcpId), credits.balance];
  }

  /** Gives Ann a plan and credits while nothing is sold. */
  async function giveAnn(): Promise<TestApp> {
    const shop = await start(off);
    const { userId } = await person(shop, 'ann@souk.test');
    await shop.administration.give(userId, { type: 'subscription', mcpId: 'pro' }, by);
    await shop.administration.setCredits(userId, { credits: 70 }, by);
    return shop;
  }

  test('are still there when real keys are set', async () => {
    const shop = await giveAnn();
    expect(await owns(shop, 'ann@souk.test')).toEqual(['pro', 70]);
    expect(await owns(await start(live), 'ann@souk.test')).toEqual(['pro', 70]);
  });

  test('do not count with demo payments, nor the reverse, and the log says so at the start', async () => {
    const told = (of: TestApp) =>
      of
        .logged()
        .split('\n')
        .filter((line) => line.includes('do not count'))
        .map((line): Record<string, unknown> => JSON.parse(line));
    await giveAnn();
    const demo = await start({});
    expect(told(demo)).toMatchObject([
      { plans: 1, servers: 0, balances: 1, msg: expect.stringMatching(/count again with PAYMENTS=off or a live key$/) },
    ]);
    expect(await owns(demo, 'ann@souk.test')).toEqual([0]);
    const { userId } = await person(demo, 'dan@souk.test');
    await demo.administration.give(userId, { type: 'subscription', mcpId: 'basic' }, by);
    const again = await start(off);
    expect(told(again)).toMatchObject([
      {
        plans: 1,
        servers: 0,
        balances: 0,
        msg: expect.stringMatching(/of demo payments or of a test key do not count/),
      },
    ]);
    expect([await owns(again, 'dan@souk.test'), await owns(again, 'ann@souk.test')]).toEqual([[0], ['pro', 70]]);
    await db.query('delete from subscriptions where user_id = $1', [userId]);
    expect(told(await start(off))).toEqual([]);
  });
});
