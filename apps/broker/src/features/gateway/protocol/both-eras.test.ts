import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectV1, postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { startConformanceFixture, type ConformanceFixture } from '../../../../../../conformance/fixture.ts';

let nowMs = Date.now();
let app: TestApp;
let old: ConformanceFixture;
let modern: ConformanceFixture;
let ann: string;
let bob: string;

beforeAll(async () => {
  [old, modern] = await Promise.all([startConformanceFixture('legacy'), startConformanceFixture('modern')]);
  app = await startTestApp({
    allowAddresses: [old.address, modern.address],
    clock: { now: () => nowMs },
    env: { MCP_CALLS_PER_MINUTE_TOKEN: '10000', MCP_CALLS_PER_MINUTE_USER: '10000' },
  });
  for (const [id, { url }] of Object.entries({ old, modern })) {
    await deployManifest(app, { id, connection: { type: 'http', url } });
  }
  ({ token: ann } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  ({ token: bob } = await app.identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([old?.close(), modern?.close()]);
});

const link = () => `${app.publicUrl}/mcp`;
const canAnswer = { elicitation: { form: {} }, sampling: {}, roots: {} };

/** Sends one round of a modern client that can answer every question. */
function round(token: string, name: string, more: Record<string, unknown> = {}) {
  return postRaw(
    link(),
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: {},
        ...more,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': canAnswer,
        },
      },
    }),
    {
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
  );
}

async function legacyClient(capabilities: ConstructorParameters<typeof Client>[1], token = ann): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { ...capabilities, versionNegotiation: { mode: 'legacy' } },
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(link()), { requestInit }));
  return client;
}

describe('an old server that asks a question in the middle of a call', () => {
  test('reaches a modern client as input_required, and continues with its answer', async () => {
    const first = await round(ann, 'old__test_elicitation', { arguments: { message: 'Who?' } });
    expect(first.body.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { 'ask-1': { method: 'elicitation/create', params: { message: 'Who?' } } },
    });
    const second = await round(ann, 'old__test_elicitation', {
      arguments: { message: 'Who?' },
      requestState: first.body.result?.['requestState'],
      inputResponses: { 'ask-1': { action: 'accept', content: { username: 'Ann', email: 'ann@souk.test' } } },
    });
    expect(JSON.stringify(second.body.result)).toContain('action: accept');
    expect(JSON.stringify(second.body.result)).toContain('Ann');
  });

  test('asks again if the answer is missing', async () => {
    const first = await round(ann, 'old__test_sampling', { arguments: { prompt: 'Say it' } });
    const { requestState } = first.body.result ?? {};
    const again = await round(ann, 'old__test_sampling', { arguments: { prompt: 'Say it' }, requestState });
    expect(again.body.result).toMatchObject({ resultType: 'input_required' });
    // a stop would wait for a call with an open question
    const sampled = { role: 'assistant', content: { type: 'text', text: 'it' }, model: 'test' };
    const done = await round(ann, 'old__test_sampling', {
      arguments: { prompt: 'Say it' },
      requestState: again.body.result?.['requestState'],
      inputResponses: Object.fromEntries(
        Object.keys(Object(again.body.result?.['inputRequests'])).map((key) => [key, sampled]),
      ),
    });
    expect(JSON.stringify(done.body.result)).toContain('it');
  });
});

describe('the state of a call between two rounds', () => {
  const start = async () => {
    const first = await round(ann, 'modern__test_input_required_result_request_state');
    expect(first.body.result).toMatchObject({ resultType: 'input_required' });
    const { requestState } = first.body.result ?? {};
    if (typeof requestState !== 'string') throw new Error('no state');
    return requestState;
  };
  const inputResponses = { confirm: { action: 'accept', content: { ok: true } } };
  const name = 'modern__test_input_required_result_request_state';
  const refused = { code: -32602, message: 'Invalid or expired requestState' };

  test('is ours, not the server’s, and is valid for its own user', async () => {
    const requestState = await start();
    expect(requestState).not.toMatch(/^asked\./);
    const second = await round(ann, name, { requestState, inputResponses });
    expect(JSON.stringify(second.body.result)).toContain('state-ok');
  });

  test('is refused if it was altered, belongs to another user, or is sent with other arguments or another tool', async () => {
    const requestState = await start();
    const altered = `${requestState.slice(0, -4)}AAAA`;
    expect((await round(ann, name, { requestState: altered, inputResponses })).body.error).toMatchObject(refused);
    expect((await round(bob, name, { requestState, inputResponses })).body.error).toMatchObject(refused);
    const others = await round(ann, name, { requestState, inputResponses, arguments: { other: 1 } });
    expect(others.body.error).toMatchObject(refused);
    const tool = 'modern__test_input_required_result_tampered_state';
    expect((await round(ann, tool, { requestState, inputResponses })).body.error).toMatchObject(refused);
  });

  test('expires after ten minutes, and the answer says so', async () => {
    const requestState = await start();
    nowMs += 601_000;
    expect((await round(ann, name, { requestState, inputResponses })).body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^This question is over: .* Make the call again/) }],
      _meta: { 'souk/code': 'question_over' },
    });
  });
});

describe('a modern server that needs input', () => {
  test('asks an old client on the stream of its session', async () => {
    const client = await legacyClient({ capabilities: { elicitation: {} } });
    client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Zoe' } }));
    const result = await client.callTool({ name: 'modern__test_input_required_result_elicitation', arguments: {} });
    expect(JSON.stringify(result.content)).toContain('Zoe');
    await client.close();
  });

  test('says in words that an old client cannot answer it', async () => {
    const client = await legacyClient({});
    const result = await client.callTool({ name: 'modern__test_missing_capability', arguments: {} });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toContain('needs a client that can');
    await client.close();
  });
});

test('log messages reach only the caller, from the level that it set', async () => {
  const [hers, his] = await Promise.all([legacyClient({}), legacyClient({}, bob)]);
  const heard: string[] = [];
  const overheard: string[] = [];
  hers.setNotificationHandler('notifications/message', ({ params }) => void heard.push(String(params.data)));
  his.setNotificationHandler('notifications/message', ({ params }) => void overheard.push(String(params.data)));
  // a session whose client can be asked uses the SDK; so does a client that wants to receive more than the result
  await hers.callTool({ name: 'old__test_tool_with_logging', arguments: {} }, { onprogress: () => {} });
  await his.callTool({ name: 'old__test_simple_text', arguments: {} });
  expect(overheard).toEqual([]);
  await hers.setLoggingLevel('error');
  const before = heard.length;
  await hers.callTool({ name: 'old__test_tool_with_logging', arguments: {} });
  expect(heard.length).toBe(before);
  await Promise.all([hers.close(), his.close()]);
});

describe('lists and addresses', () => {
  test('an unknown cursor is refused', async () => {
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      const answer = await postModern(link(), ann, method, { cursor: 'nonsense' });
      expect(answer.body.error, method).toMatchObject({ code: -32602, message: 'Invalid cursor' });
    }
  });

  test('an unknown address is "not found" in the terms of each era', async () => {
    const answer = await postModern(link(), ann, 'resources/read', { uri: 'nobody://here' });
    expect(answer.body.error).toMatchObject({ code: -32602, data: { uri: 'nobody://here' } });
    // the current SDK hides the old code from its users
    const client = await connectV1(link(), ann);
    await expect(client.readResource({ uri: 'nobody://here' })).rejects.toMatchObject({ code: -32002 });
    await client.close();
  });
});
