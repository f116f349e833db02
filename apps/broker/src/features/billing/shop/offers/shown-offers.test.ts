import { findServers } from '@souk/contract/catalogue/catalogue-search.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

let fixture: HttpFixture;
let app: TestApp;
let free: TestApp;
beforeAll(async () => {
  fixture = await startHttpFixture('both');
  const connection = { type: 'http', url: fixture.url };
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  free = await startTestApp({ allowAddresses: [fixture.address], env: { ...withoutHealthChecks, PAYMENTS: 'off' } });
  for (const tier of ['T0', 'T1', 'T2'])
    await deployManifest(app, { id: tier.toLowerCase(), connection, billing: { tier } }, 'unasked');
  await deployManifest(free, { id: 't2', connection, billing: { tier: 'T2' } }, 'unasked');
});
afterAll(async () => {
  await app?.stop();
  await free?.stop();
  await fixture?.close();
});

async function plansOf({ publicUrl }: TestApp): Promise<string[]> {
  const { servers } = await createClient([findServers] as const, { baseUrl: publicUrl, fetch }).findServers({
    query: {},
  });
  return servers.map(({ serverId, billing }) => {
    const plan = billing?.plan;
    return plan ? `${serverId}: ${plan.planId} ${plan.name} ${plan.amount} ${plan.currency}` : serverId;
  });
}

type Change = Parameters<TestApp['billing']['offerEditing']['change']>[1]['change'];
const change = (id: string, wanted: Change) =>
  app.billing.offerEditing.change(id, { change: wanted, revision: undefined }, { operator: '', reason: 't' }, false);

test('a service names the cheapest plan on sale that includes it, as it is sold now; a free service names none, nor does a shop that sells nothing', async () => {
  expect(await plansOf(app)).toEqual(['t0', 't1: basic Basic 500 USD', 't2: pro Pro 1900 USD']);
  expect(await plansOf(free)).toEqual(['t2']);

  const { offer } = await app.billing.offerEditing.show('pro');
  await change('pro', { type: 'edit', fields: { ...offer.fields, name: 'Studio', amount: 450 } });
  const edited = ['t0', 't1: pro Studio 450 USD', 't2: pro Studio 450 USD'];
  await waitUntil('the edit to be named', async () => (await plansOf(app)).join() === edited.join());
  await change('pro', { type: 'archive' });
  const archived = ['t0', 't1: basic Basic 500 USD', 't2: enterprise Enterprise 9900 USD'];
  await waitUntil('the next plan to be named', async () => (await plansOf(app)).join() === archived.join());
});
