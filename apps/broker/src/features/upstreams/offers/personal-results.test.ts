import { afterAll, beforeAll, expect, test } from 'vitest';
import { giveCredits } from '#testing/grant-credits.ts';
import { postModern } from '#testing/mcp-clients.ts';
import { promisingTools } from '#testing/mcp-fixture.ts';
import { usageRows } from '#testing/usage-rows.ts';
import { signInAt, startVault, type Vault } from '../sign-in/testing/vault.ts';

let vault: Vault;
beforeAll(async () => {
  // the shop shows no tool of it
  const manifest = { capabilitySnapshot: { tools: [] }, billing: { tier: 'T0', toolCosts: { echo: 2 } } };
  vault = await startVault({ manifest: () => manifest });
});
afterAll(() => vault?.close());

test('a tool that a server shows to one person alone is not charged where its result is not what it promises them', async () => {
  const { app, ann, fixture, token } = vault;
  await giveCredits(app, 'ann@souk.test', 1_000);
  fixture.offerTools(promisingTools);
  await signInAt(ann, fixture);
  const params = { name: 'vault__echo', arguments: { text: 'hi' } };
  const call = async () => (await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', params)).body.result;
  await expect.poll(call).toMatchObject({ isError: true, _meta: { 'souk/code': 'bad_result' } });
  expect((await usageRows(app, ann.userId)).at(-1)).toMatchObject({ name: 'echo', reason: 'bad_result', credits: 0 });
});
