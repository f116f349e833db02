import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { openSession } from '#testing/people/open-session.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

const canary = 'the secret of a failing policy';
let failsAfter = Number.POSITIVE_INFINITY;
let app: TestApp;
let fixture: HttpFixture;
let token: string;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({
    allowAddresses: [fixture.address],
    billing: {
      entitlement: async () => {
        if (--failsAfter < 0) throw new Error(canary);
        return () => true;
      },
    },
  });
  await deployManifest(app, { id: 'free', connection: { type: 'http', url: fixture.url } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const mcp = () => `${app.publicUrl}/mcp`;
const bearer = () => ({ authorization: `Bearer ${token}` });
const rpc = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 'seven', method, params });

const openAskableSession = () => openSession(mcp(), token, { capabilities: { roots: {} } });

/** Lets the entitlement policy answer `looks` times, then fail. */
async function failingAfter<T>(looks: number, run: () => Promise<T>): Promise<T> {
  failsAfter = looks;
  try {
    return await run();
  } finally {
    failsAfter = Number.POSITIVE_INFINITY;
  }
}

test('an unexpected failure is answered as JSON-RPC with the id of the request, is logged, and does not reveal its cause', async () => {
  const answer = await failingAfter(0, () => postRaw(mcp(), rpc('tools/list'), bearer()));
  expect(answer).toMatchObject({
    status: 500,
    body: { id: 'seven', error: { code: -32603, message: 'An unexpected error occurred' } },
  });
  expect(answer.text).not.toContain(canary);
  const { requestId } = Object(answer.body.error?.data);
  expect(app.logged()).toContain(requestId);
  expect(app.logged()).toContain(canary);
});

test('a failure in the middle of the protocol is an internal error in both eras, and does not reveal its cause', async () => {
  const session = await openAskableSession();
  for (const [method, params] of [
    ['tools/list', {}],
    ['tools/call', { name: 'free__echo', arguments: {} }],
    ['prompts/get', { name: 'free__hello' }],
    ['resources/read', { uri: 'test://a' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'free__hello' }, argument: { name: 'a', value: 'b' } }],
    ['resources/subscribe', { uri: 'test://a' }],
  ] as const) {
    // an unusual content type sends the call through the SDK: the fast path asks the policy only once
    const type = { 'content-type': 'application/json; charset=utf-8' };
    const legacy = await failingAfter(1, () => postRaw(mcp(), rpc(method, params), { ...session, ...type }));
    expect(legacy.body.error, method).toEqual({ code: -32603, message: 'Internal error' });
    if (method === 'resources/subscribe' || method === 'tools/call') continue;
    // the endpoint asks the policy twice before it hands a modern request to the protocol
    const modern = await failingAfter(2, () => postModern(mcp(), token, method, params));
    expect(modern.body.error, method).toMatchObject({ code: -32603, message: 'Internal error' });
  }
});

test('unknown values in a request answer -32602 with a sentence', async () => {
  const session = await openAskableSession();
  const wrong: [string, Record<string, unknown>, string][] = [
    [
      'completion/complete',
      { ref: { type: 'ref/other', name: 'free__hello' }, argument: { name: 'a', value: 'b' } },
      'params.ref',
    ],
    ['prompts/get', { name: 7 }, 'params.name'],
    ['resources/read', { uri: {} }, 'params.uri'],
    ['tools/list', { cursor: 5 }, 'params.cursor'],
  ];
  for (const [method, params, where] of wrong) {
    const error = { code: -32602, message: `Invalid request ${method}: ${where}` };
    const legacy = await postRaw(mcp(), rpc(method, params), session);
    expect(legacy.body, method).toEqual({ jsonrpc: '2.0', id: 'seven', error });
    // these methods have an Mcp-Name header, which differs from the body here: the SDK refuses that first
    if (method === 'prompts/get' || method === 'resources/read') continue;
    const modern = await postModern(mcp(), token, method, params);
    expect(modern.body.error, method).toMatchObject(error);
  }
  expect((await postRaw(mcp(), rpc('logging/setLevel', { level: 'loud' }), session)).body.error?.code).toBe(-32602);
});

test('security row 9: a body over 1 MiB answers 413 as JSON-RPC', async () => {
  const large = await postRaw(mcp(), JSON.stringify({ pad: 'x'.repeat(1024 * 1024) }), bearer());
  expect(large.status).toBe(413);
  expect(large.body).toMatchObject({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32600, data: { code: 'payload_too_large' } },
  });
});

test('security row 4: a foreign Origin is refused as JSON-RPC too', async () => {
  const answer = await postRaw(mcp(), rpc('ping'), { ...bearer(), origin: 'https://evil.test' });
  expect(answer).toMatchObject({ status: 403, body: { error: { code: -32600, data: { code: 'foreign_origin' } } } });
});
