import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { listCalls } from '@souk/contract/usage.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { clearUsageRows, usageRows } from '#testing/figures/usage-rows.ts';
import { startConformanceFixture, type ConformanceFixture } from '../../../../../../../conformance/fixture.ts';

let app: TestApp;
let old: ConformanceFixture;
let modern: ConformanceFixture;
let token: string;
let userId: string | undefined;

beforeAll(async () => {
  [old, modern] = await Promise.all([startConformanceFixture('legacy'), startConformanceFixture('modern')]);
  app = await startTestApp({ allowAddresses: [old.address, modern.address] });
  for (const [id, { url }] of Object.entries({ old, modern })) {
    await deployManifest(app, { id, connection: { type: 'http', url } });
  }
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  const { rows } = await app.db.query<{ id: string }>(`select id from users where email = 'ann@souk.test'`);
  userId = rows[0]?.id;
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([old?.close(), modern?.close()]);
});
beforeEach(() => clearUsageRows(app));

const link = () => new URL(`${app.publicUrl}/mcp`);
const requestInit = () => ({ headers: { authorization: `Bearer ${token}` } });
const accepted = { action: 'accept' as const, content: { username: 'Zoe', email: 'zoe@souk.test', name: 'Zoe' } };

/** Returns what a client that answers questions gets from a tool. */
type Answer = (name: string, given: Record<string, unknown>) => Promise<unknown>;
const officialV2 =
  (mode: 'legacy' | { pin: '2026-07-28' }): Answer =>
  async (name, given) => {
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
    );
    client.setRequestHandler('elicitation/create', async () => accepted);
    await client.connect(new StreamableHTTPClientTransport(link(), { requestInit: requestInit() }));
    const { content } = await client.callTool({ name, arguments: given });
    await client.close();
    return content;
  };
const officialV1: Answer = async (name, given) => {
  const client = new ClientV1({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => accepted);
  const transport = new TransportV1(link(), { requestInit: requestInit() });
  // SDK 1.x declares optional members without `undefined`, which exactOptionalPropertyTypes takes literally.
  await client.connect(transport as Parameters<ClientV1['connect']>[0]);
  const { content } = await client.callTool({ name, arguments: given });
  await client.close();
  return content;
};
const clients: Record<string, Answer> = {
  'SDK v2, 2026-07-28': officialV2({ pin: '2026-07-28' }),
  'SDK v2 with a session': officialV2('legacy'),
  'SDK v1': officialV1,
};
const tools = ['old__test_elicitation', 'modern__test_input_required_result_elicitation'];

async function logged() {
  await app.usage.flush();
  const answer = await fetch(`${app.publicUrl}/api/users/${userId}/calls`, requestInit());
  return listCalls.answer.parse(await answer.json()).calls;
}

test.each(Object.keys(clients).flatMap((client) => tools.map((name) => ({ client, name }))))(
  'an answered question leaves one row with two rounds: $name, $client',
  async ({ client, name }) => {
    // directly, and through the tool that calls tools
    for (const [called, given] of [
      [name, { message: 'Who?' }],
      ['call_tool', { name, arguments: { message: 'Who?' } }],
    ] as const) {
      expect(JSON.stringify(await clients[client]?.(called, given))).toMatch(/Zoe|accept/);
      expect(await logged()).toMatchObject([{ name: name.split('__')[1], outcome: 'ok', reason: null, rounds: 2 }]);
      await clearUsageRows(app);
    }
  },
);

test('a call without a question has one round, and an unanswered question leaves its row', async () => {
  await clients['SDK v2 with a session']?.('old__test_simple_text', {});
  expect(await logged()).toMatchObject([{ outcome: 'ok', rounds: 1 }]);
  await clearUsageRows(app);
  await round();
  expect(await logged()).toMatchObject([{ outcome: 'refused', reason: 'input_required', rounds: 1 }]);
});

test('a round that is sent twice belongs to the same call, and leaves its own row', async () => {
  const { result } = (await round()).body;
  const inputResponses = Object.fromEntries(
    Object.keys(Object(result?.['inputRequests'])).map((key) => [key, accepted]),
  );
  const second = { requestState: result?.['requestState'], inputResponses };
  for (let time = 0; time < 2; time++) expect(JSON.stringify((await round(second)).body.result)).toContain('Zoe');
  const rows = await usageRows(app);
  expect(rows).toMatchObject([
    { outcome: 'ok', rounds: 2 },
    { outcome: 'ok', rounds: 2 },
  ]);
  expect(new Set(rows.map(({ callId }) => callId)).size).toBe(1);
});

/** Sends one request of a client of 2026-07-28 that does not continue automatically. */
function round(more: object = {}) {
  const name = 'modern__test_input_required_result_elicitation';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const params = { name, arguments: {}, ...more, _meta };
  return postRaw(link().href, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }), {
    ...requestInit().headers,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  });
}
