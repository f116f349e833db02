import { payOnPage } from '@souk/stripe-sandbox/testing';
import type { Database } from '#platform/db/database.ts';
import { signInPerson, type TestPerson } from '../../features/upstreams/sign-in/testing/person.ts';
import { deployManifest } from '../deploy-manifest.ts';
import { fillSecrets } from './fill-secrets.ts';
import { connectLegacy, connectModern } from '../people/mcp-clients.ts';
import { readUsageRows } from '../figures/usage-rows.ts';
import { waitUntil } from '../wait-until.ts';

export type UsedShop = { userId: string; /** Personal access token of the user. */ token: string; credits: number };

/** Uses a shop as users do, then closes it: sign-ins, payments, calls of both eras, a deleted account. */
export async function fillShop(db: Database, masterKey: string): Promise<UsedShop> {
  const { app, ann, close } = await fillSecrets({ MASTER_KEY: masterKey }, db);
  const { publicUrl } = app;
  await deployManifest(app, {
    id: 'travel',
    connection: { type: 'http', url: 'service:travel' },
    billing: { tier: 'T0', toolCosts: { distance: 1 } },
  });
  await deployManifest(app, {
    id: 'rented',
    connection: { type: 'http', url: 'service:travel' },
    billing: {
      tier: 'T2',
      rental: { price: 900, currency: 'USD', name: 'Rented', description: 'A month' },
      trialDays: 7,
    },
  });
  const must = async (person: TestPerson, method: string, path: string, body?: unknown) => {
    const answer = await person.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const balance = async (person: TestPerson) => {
    const { credits } = await must(person, 'GET', '/api/billing/subscription');
    return credits !== null && typeof credits === 'object' && 'balance' in credits ? Number(credits.balance) : 0;
  };
  const pay = async (person: TestPerson, wanted: Record<string, string>) => {
    const { checkoutUrl } = await must(person, 'POST', '/api/billing/checkout', wanted);
    await payOnPage(String(checkoutUrl), '4242424242424242', {}, { origin: publicUrl });
  };
  await pay(ann, { type: 'credit', planId: 'credits-500' });
  await waitUntil('the credits', async () => (await balance(ann)) === 500);
  await pay(ann, { type: 'rental', mcpId: 'rented', period: 'monthly' });
  await waitUntil('the rental', async () =>
    JSON.stringify(await must(ann, 'GET', '/api/billing/subscription')).includes('rented'),
  );
  const bob = await signInPerson(publicUrl, 'bob@souk.test');
  await pay(bob, { type: 'subscription', planId: 'pro' });
  await waitUntil('the plan', async () => (await balance(bob)) > 0);
  await must(ann, 'PUT', `/api/users/${ann.userId}/spend-cap`, { monthlyCap: 1000 });
  await must(ann, 'POST', '/mcp/rented/disable');
  const created = await must(ann, 'POST', '/auth/pat/create', { name: 'upgrade', expiresInDays: 365 });
  const token = String(created['token']);
  for (const connect of [connectModern, connectLegacy]) {
    const client = await connect(`${publicUrl}/mcp`, token);
    const paid = await client.callTool({ name: 'travel__distance', arguments: { from: 'LHR', to: 'JFK' } });
    if (paid.isError === true) throw new Error(JSON.stringify(paid));
    await client.close();
  }
  await waitUntil('the calls', async () => (await readUsageRows(app.db, ann.userId)).length === 2);
  await waitUntil('the charges', async () => (await balance(ann)) === 498);
  const carl = await signInPerson(publicUrl, 'carl@souk.test');
  await must(carl, 'POST', '/api/billing/trials', { mcpId: 'rented' });
  await must(carl, 'DELETE', `/api/users/${carl.userId}/account`, { confirm: 'carl@souk.test' });
  await close();
  return { userId: ann.userId, token, credits: 498 };
}
