import { deleteMyAccount } from '@souk/contract/account.ts';
import { listTransactions } from '@souk/contract/billing/billing-history.ts';
import { getSubscription } from '@souk/contract/billing/billing.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { startReplicas } from '#testing/start-replicas.ts';
import { migrations } from '../../../../migrations.ts';
import { paths } from '../../../../paths.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';
import { readOffers } from '../offers/read-offers.ts';

// The demo's offers give 20 credits; most other tests use offers without welcome credits.
const demo = { offers: paths.offers };

let fixture: HttpFixture;
let app: TestApp;
beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ paths: demo, allowAddresses: [fixture.address], env: withoutHealthChecks });
  const connection = { type: 'http', url: fixture.url };
  await deployManifest(app, { id: 'paid', connection, billing: { tier: 'T0', toolCosts: { echo: 3 } } });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const endpoints = [getSubscription, listTransactions, deleteMyAccount] as const;
const clientOf = (accessToken: string, { publicUrl } = app) =>
  createClient(endpoints, { baseUrl: publicUrl, fetch, token: async () => accessToken });
const signIn = (email: string) => new ScriptedBrowser(app.publicUrl).signInWeb({ email });

async function historyOf(accessToken: string, email: string): Promise<string[]> {
  const [{ id: userId = '' } = {}] = await app.identity.users.find(email);
  const { data } = await clientOf(accessToken).listTransactions({ params: { userId }, query: {} });
  return data.transactions.map(({ type, status, description, amount }) => `${type} ${status} ${description} ${amount}`);
}

test('a new user gets the welcome credits once, through the ledger, and their first paid call works; a deleted account that comes back gets none', async () => {
  const email = 'newcomer@souk.test';
  const { accessToken } = await signIn(email);
  const { credits } = await clientOf(accessToken).getSubscription();
  expect(credits).toMatchObject({
    balance: 20,
    available: 20,
    parts: [{ source: 'promotional', credits: 20, expiresAt: null, isWelcome: true }],
  });
  const welcomed = ['credit_purchase completed Welcome credits: 20 0'];
  expect(await historyOf(accessToken, email)).toEqual(welcomed);
  const { rows: audited } = await app.db.query(
    `select a.action, a.details, a.actor_id, e.reason, e.delta from audit_log a
       join users u on u.id::text = a.subject join ledger_entries e on e.user_id = u.id
     where u.email = $1 and a.action = 'credits.welcome'`,
    [email],
  );
  expect(audited).toEqual([
    { action: 'credits.welcome', details: { credits: 20 }, actor_id: null, reason: 'Welcome credits', delta: 20 },
  ]);

  const { token } = await app.identity.createPersonalToken({ email, name: 'first' });
  const client = await connectModern(`${app.publicUrl}/mcp`, token);
  const { isError } = await client.callTool({ name: 'paid__echo', arguments: { text: 'hello' } });
  await client.close();
  expect(isError).not.toBe(true);
  await expect.poll(async () => (await clientOf(accessToken).getSubscription()).credits.balance).toBe(17);

  const again = await signIn(email);
  expect(await historyOf(again.accessToken, email)).toEqual(welcomed);
  expect((await clientOf(again.accessToken).getSubscription()).credits.balance).toBe(17);

  const [{ id: userId = '' } = {}] = await app.identity.users.find(email);
  await clientOf(again.accessToken).deleteMyAccount({ params: { userId }, body: { confirm: email } });
  const back = await signIn(email);
  expect((await clientOf(back.accessToken).getSubscription()).credits.balance).toBe(0);
  expect(await historyOf(back.accessToken, email)).toEqual([]);
  // nothing of the address is kept
  const { rows: kept } = await app.db.query<{ row: string }>('select w::text as row from welcomed_addresses w');
  expect(kept).toHaveLength(1);
  expect(kept[0]?.row).toMatch(/^\([\w-]{43},f\)$/);
  expect(await checkLedger(app.db)).toEqual([]);
});

describeOnPostgres('several brokers', migrations, (open) => {
  test('one address gets the credits once, from whichever of two brokers, and of two identities, is first', async () => {
    const shop = await startReplicas(open, { paths: demo });
    try {
      const { apps } = shop;
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          apps[index % 2 === 0 ? 0 : 1].identity.createPersonalToken({ email: 'many@souk.test', name: `${index}` }),
        ),
      );
      const users = Array.from({ length: 8 }, () => crypto.randomUUID());
      await Promise.all(
        users.map((userId, index) =>
          apps[index % 2 === 0 ? 0 : 1].db.transaction((query) =>
            apps[index % 2 === 0 ? 0 : 1].billing.welcomeNewcomer(query, { userId, email: 'Two@Souk.test' }),
          ),
        ),
      );
      const { rows } = await apps[0].db.query<{ lots: number; granted: number }>(
        'select count(*) as lots, sum(granted)::bigint as granted from credit_lots',
      );
      expect(rows).toEqual([{ lots: 2, granted: 40 }]);
      expect(await checkLedger(apps[0].db)).toEqual([]);
    } finally {
      await shop.stop();
    }
  });
});

test('with real payments a new user gets what the offers say for them: none in the bundled offers', async () => {
  expect(readOffers(paths.offers).welcomeCredits).toEqual({ demo: 20, live: 0 });
});
