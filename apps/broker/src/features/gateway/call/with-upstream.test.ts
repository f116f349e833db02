import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';

let app: TestApp;
let fixture: HttpFixture;
let client: Client;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  await deployManifest(app, { id: 'narrow', connection: { type: 'http', url: fixture.url }, maxInFlight: 1 });
  const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.publicUrl}/mcp`), { requestInit }));
});
afterAll(async () => {
  await client?.close();
  await app?.stop();
  await fixture?.close();
});

// on the fast path and through the SDK
test.each([
  ['a tool call', (signal: AbortSignal) => client.callTool({ name: 'narrow__echo', arguments: {} }, { signal })],
  ['a prompt', (signal: AbortSignal) => client.getPrompt({ name: 'narrow__hello' }, { signal })],
] as const)('%s that waits for a slot ends as soon as its caller disconnects', async (_, send) => {
  const hangUp = new AbortController();
  const arrived = fixture.seen.requests.length;
  const hanging = client
    .callTool({ name: 'narrow__hang', arguments: {} }, { signal: hangUp.signal })
    .catch(() => 'over');
  await waitUntil('the slot to be in use', () => fixture.seen.requests.length > arrived);
  const before = (await usageRows(app)).length;
  const admit = vi.spyOn(app.upstreams.pool, 'admit');
  const stop = new AbortController();
  const waiting = send(stop.signal).catch(() => 'over');
  await waitUntil('it to wait', () => admit.mock.calls.length > 0);
  stop.abort();
  expect(await waiting).toBe('over');
  // without that, the queue gives up after 2 s: as busy, and not as canceled
  await waitUntil('the call is logged', async () => (await usageRows(app)).length > before);
  expect((await usageRows(app)).at(-1)).toMatchObject({ outcome: 'cancelled' });
  expect(fixture.seen.requests).toHaveLength(arrived + 1);
  admit.mockRestore();
  hangUp.abort();
  expect(await hanging).toBe('over');
  await waitUntil('the slot is free again', async () => (await usageRows(app)).length > before + 1);
});
