import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postRaw, type RawAnswer } from '#testing/people/mcp-clients.ts';
import { openSession } from '#testing/people/open-session.ts';
import { startVault, type Vault } from './testing/vault.ts';

// A tool, a prompt and a resource of a server at which Ann has not signed in. Every client learns it in a form that it
// understands.

let nowMs = Date.now();
let app: Vault['app'];
let close: Vault['close'];

beforeAll(async () => {
  const manifest = () => ({
    name: 'Vault',
    capabilitySnapshot: {
      tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
      prompts: [{ name: 'hello' }],
      resources: [{ uri: 'test://a', name: 'a' }],
    },
  });
  ({ app, close } = await startVault({ manifest, app: () => ({ clock: { now: () => nowMs } }) }));
});
afterAll(() => close?.());

const link = () => new URL(`${app.publicUrl}/mcp`);
const newToken = async () => (await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' })).token;
const requestInit = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const canOpen = { elicitation: { form: {}, url: {} } };
const called = { name: 'vault__echo', arguments: { text: 'hi' } };
const throughOurs = { name: 'call_tool', arguments: called };

const page = () => `${app.publicUrl}/connect/vault`;
/** A text for a model. */
const text = () => ({
  isError: true,
  content: [{ text: expect.stringContaining(`Open ${page()} in your browser, sign in, and try again.`) }],
  _meta: { 'souk/code': 'sign_in_required', 'souk/url': page() },
});
/** A question, in the two forms. */
const error = () => ({ code: -32042, data: { elicitations: [{ mode: 'url', url: page() }] } });
const question = () => ({
  resultType: 'input_required',
  inputRequests: { souk_sign_in: { params: { mode: 'url', url: page() } } },
});

/** The fast path, and the SDK, which gets an unusual content type. */
const dispatchers = { fast: 'application/json', sdk: 'application/json; charset=utf-8' } as const;

describe.each(Object.entries(dispatchers))('a session whose client can open pages (%s)', (_way, type) => {
  const post = async (revision: '2025-03-26' | '2025-06-18' | '2025-11-25', method: string, params: object) => {
    const session = await openSession(link().href, await newToken(), { revision, capabilities: canOpen });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
    return (await postRaw(link().href, body, { ...session, 'content-type': type })).body;
  };
  const requests = [
    ['prompts/get', { name: 'vault__hello' }],
    ['resources/read', { uri: 'test://a' }],
  ] as const;

  test('of 2025-11-25 gets -32042, which that revision defines', async () => {
    for (const params of [called, throughOurs]) {
      expect((await post('2025-11-25', 'tools/call', params)).error).toMatchObject(error());
    }
    for (const [method, params] of requests) {
      expect((await post('2025-11-25', method, params)).error).toMatchObject(error());
    }
  });

  test.each(['2025-03-26', '2025-06-18'] as const)('of %s gets the sentence and the link', async (revision) => {
    for (const params of [called, throughOurs]) {
      expect((await post(revision, 'tools/call', params)).result).toMatchObject(text());
    }
    for (const [method, params] of requests) {
      expect((await post(revision, method, params)).error).toMatchObject({
        code: -32603,
        message: expect.stringContaining(`Open ${page()}`),
        data: { url: page() },
      });
    }
  });
});

test('the official SDK v1 gets -32042 if it declares pages, otherwise the sentence and the link', async () => {
  const token = await newToken();
  const connect = async (capabilities: object) => {
    const client = new ClientV1({ name: 'test', version: '1' }, { capabilities });
    const transport = new TransportV1(link(), { requestInit: requestInit(token) });
    // SDK 1.x declares optional members without `undefined`, which exactOptionalPropertyTypes takes literally.
    await client.connect(transport as Parameters<ClientV1['connect']>[0]);
    return client;
  };
  const able = await connect(canOpen);
  await expect(able.callTool(called)).rejects.toMatchObject(error());
  const unable = await connect({ elicitation: {} });
  expect(await unable.callTool(called)).toMatchObject(text());
  await Promise.all([able.close(), unable.close()]);
});

describe('a client that is known to fail', () => {
  type Told = 'text' | 'asked';
  const modern = { pin: '2026-07-28' } as const;
  const rows: [string, string, 'legacy' | typeof modern, Told][] = [
    ['github-copilot-developer', '1.0.102', modern, 'text'],
    ['github-copilot-developer', '1.0.83', modern, 'text'],
    ['github-copilot-developer', '1.0.103', modern, 'asked'],
    // only the questions of 2026-07-28 fail there
    ['github-copilot-developer', '1.0.102', 'legacy', 'asked'],
    ['codex-mcp-client', '0.169.4', 'legacy', 'text'],
    ['codex-mcp-client', '0.170.0', 'legacy', 'asked'],
    ['claude-code', '2.1.87', modern, 'text'],
    ['claude-code', '2.1.87', 'legacy', 'text'],
    ['claude-code', '2.1.330', modern, 'asked'],
    ['Claude-Code', '2.1.87', modern, 'asked'],
    ['claude-code', 'nightly', modern, 'asked'],
  ];
  test.each(rows)('%s %s (%o): %s', async (name, version, mode, told) => {
    const client = new Client({ name, version }, { capabilities: canOpen, versionNegotiation: { mode } });
    let asked = 0;
    client.setRequestHandler('elicitation/create', async () => {
      asked++;
      return { action: 'decline' };
    });
    const transport = new StreamableHTTPClientTransport(link(), { requestInit: requestInit(await newToken()) });
    await client.connect(transport);
    const answer = await client.callTool(called).catch((failed: unknown) => failed);
    // one that can be asked declines, and then gets the text
    expect(answer).toMatchObject(told === 'asked' && mode === 'legacy' ? error() : text());
    expect(asked).toBe(told === 'asked' && mode !== 'legacy' ? 1 : 0);
    await client.close();
  });
});

describe('a client of 2026-07-28 that does not answer', () => {
  /** Sends one request of a client that does not continue automatically. */
  async function send(token: string, params: object, more: object = {}, name = 'silent'): Promise<RawAnswer['body']> {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name, version: '1' },
      'io.modelcontextprotocol/clientCapabilities': canOpen,
    };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, ...more, _meta } };
    return (
      await postRaw(link().href, JSON.stringify(body), {
        ...requestInit(token).headers,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': String(Object(params)['name']),
      })
    ).body;
  }
  const another = { ...called, arguments: { text: 'another' } };

  test('gets the text when it makes the same call again, and is asked again after a day', async () => {
    const [token, other] = [await newToken(), await newToken()];
    expect((await send(token, called)).result).toMatchObject(question());
    // concurrent calls
    expect((await send(token, another)).result).toMatchObject(question());
    expect((await send(token, called)).result).toMatchObject(text());
    expect((await send(token, another)).result).toMatchObject(text());
    expect((await send(token, throughOurs)).result).toMatchObject(text());
    // neither another token nor another client of this one is affected
    expect((await send(other, called)).result).toMatchObject(question());
    expect((await send(token, called, {}, 'another')).result).toMatchObject(question());
    nowMs += 24 * 60 * 60_000;
    expect((await send(token, called)).result).toMatchObject(question());
  });

  test('gets the text when its question has expired', async () => {
    const token = await newToken();
    expect((await send(token, called)).result).toMatchObject(question());
    nowMs += 599_000;
    expect((await send(token, another)).result).toMatchObject(question());
    nowMs += 1000;
    expect((await send(token, { ...called, arguments: { text: 'third' } })).result).toMatchObject(text());
  });

  test('is asked again if it has ever answered', async () => {
    const token = await newToken();
    const { result } = await send(token, called);
    const answered = {
      requestState: result?.['requestState'],
      inputResponses: { souk_sign_in: { action: 'decline' } },
    };
    expect((await send(token, called, answered)).result).toMatchObject(text());
    for (let time = 0; time < 3; time++) expect((await send(token, called)).result).toMatchObject(question());
  });
});
