import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { promisingTools } from '#testing/servers/mcp-fixture.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { signInPerson } from '../sign-in/testing/person.ts';
import { signInAt, startVault, vaultManifest, type Vault } from '../sign-in/testing/vault.ts';

let vault: Vault;
const costs = (version: string, toolCosts: Record<string, number>) => ({
  version,
  // the shop shows none of its tools
  capabilitySnapshot: { tools: [] },
  billing: { tier: 'T0', toolCosts },
});

beforeAll(async () => {
  vault = await startVault({ manifest: () => costs('1.0.0', { echo: 2 }) });
});
afterAll(() => vault?.close());

test('a tool that a server shows to one user only needs approval when its price rises', async () => {
  const { app, ann, fixture, token } = vault;
  await giveCredits(app, 'ann@souk.test', 1_000);
  await signInAt(ann, fixture);
  const params = { name: 'vault__echo', arguments: { text: 'hi' } };
  const call = async () => (await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', params)).body.result;
  await expect.poll(call).toMatchObject({ content: [{ text: 'hi' }], _meta: { 'souk/charged': 2 } });
  await deployManifest(app, { ...vaultManifest(fixture), ...costs('1.0.1', { echo: 3 }) });
  expect(app.catalogue.snapshot().byId.get('vault')?.tools).toEqual([]);
  await expect.poll(call).toMatchObject({ isError: true, _meta: { 'souk/old': 2, 'souk/new': 3 } });
  await app.billing.priceRises.approve(ann.userId, [{ serverId: 'vault', tool: 'echo', credits: 3 }], 'page');
  expect(await call()).toMatchObject({ content: [{ text: 'hi' }], _meta: { 'souk/charged': 3 } });
});

test('a tool that a server shows to one user only is not charged if its result breaks its outputSchema', async () => {
  const { app, fixture } = vault;
  const email = 'bob@souk.test';
  const bob = await signInPerson(app.publicUrl, email);
  const { token } = await app.identity.createPersonalToken({ email, name: 'test' });
  await giveCredits(app, email, 1_000);
  fixture.setToolsOf('bob', { tools: promisingTools });
  await signInAt(bob, fixture, 'vault', 'bob');
  const params = { name: 'vault__echo', arguments: { text: 'hi' } };
  const call = async () => (await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', params)).body.result;
  await expect.poll(call).toMatchObject({ isError: true, _meta: { 'souk/code': 'bad_result' } });
  expect((await usageRows(app, bob.userId)).at(-1)).toMatchObject({ name: 'echo', reason: 'bad_result', credits: 0 });
});
