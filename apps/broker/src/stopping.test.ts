import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern, postRaw } from '#testing/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startConformanceFixture, type ConformanceFixture } from '../../../conformance/fixture.ts';

let old: ConformanceFixture;
let modern: ConformanceFixture;

beforeAll(async () => {
  [old, modern] = await Promise.all([startConformanceFixture('legacy'), startConformanceFixture('modern')]);
});
afterAll(() => Promise.all([old?.close(), modern?.close()]));

async function start(env: NodeJS.ProcessEnv = {}): Promise<{ app: TestApp; token: string; link: string }> {
  const app = await startTestApp({
    allowAddresses: [old.address, modern.address],
    env: { ...withoutHealthChecks, ...env },
  });
  for (const [id, { url }] of Object.entries({ old, modern })) {
    await deployManifest(app, { id, connection: { type: 'http', url } });
  }
  const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  return { app, token, link: `${app.publicUrl}/mcp` };
}

const call = { name: 'modern__test_simple_text', arguments: {} };

test('a stop says so at /readyz at once, and serves new requests until its grace is over', async () => {
  const { app, token, link } = await start({ DRAIN_GRACE_MS: '2000' });
  const stopping = app.stop();
  const readiness = () => fetch(`${app.publicUrl}/readyz`).then(({ status }) => status, String);
  expect(await readiness()).toBe(503);
  const served = await postModern(link, token, 'tools/call', call).catch(String);
  expect(served).toMatchObject({ status: 200, body: { result: { content: [{ type: 'text' }] } } });
  await stopping;
  expect(await readiness()).toContain('fetch failed');
});

/** Refused as new work, although a question is still open. */
async function waitUntilRefusing(link: string, token: string): Promise<void> {
  await waitUntil('new work to be refused', async () => {
    const refused = await postModern(link, token, 'tools/call', call).catch(String);
    if (typeof refused === 'string') throw new Error(`the stop did not wait for the call: ${refused}`);
    return refused.status === 503 && JSON.stringify(refused.body.error).includes('unavailable');
  });
}

test('the answer to a question on a session is taken while the broker stops, and the call finishes', async () => {
  const { app, token, link } = await start();
  let stopping: Promise<void> | undefined;
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'legacy' } },
  );
  client.setRequestHandler('elicitation/create', async () => {
    stopping = app.stop();
    await waitUntilRefusing(link, token);
    return { action: 'accept', content: { name: 'Zoe' } };
  });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(link), { requestInit }));
  // an answer that is refused is an error of the client, and would leave the call without an end
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client has no addEventListener
  const refused = new Promise<never>((_resolve, reject) => (client.onerror = reject));
  const name = 'modern__test_input_required_result_elicitation';
  const result = await Promise.race([client.callTool({ name, arguments: {} }), refused]);
  expect(JSON.stringify(result.content)).toContain('Zoe');
  await stopping;
  await client.close();
});

test('the next round of a call of 2026-07-28 is taken while the broker stops, and the stop waits for it', async () => {
  const { app, token, link } = await start();
  const name = 'old__test_elicitation';
  const round = (more: object) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const params = { name, arguments: { message: 'Who?' }, ...more, _meta: meta };
    return postRaw(link, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }), {
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    });
  };
  const { result } = (await round({})).body;
  expect(result).toMatchObject({ resultType: 'input_required' });
  const stopping = app.stop();
  await waitUntilRefusing(link, token);
  const answered = await round({
    requestState: result?.['requestState'],
    inputResponses: { 'ask-1': { action: 'accept', content: { username: 'Ann', email: 'ann@souk.test' } } },
  });
  expect(answered.status).toBe(200);
  expect(JSON.stringify(answered.body.result)).toContain('action: accept');
  await stopping;
});
