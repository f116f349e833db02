import { specTypeSchemas } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern, postRaw, type RawAnswer } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { listVariants, nullVariants } from '#testing/figures/null-variants.ts';
import { initializeRequest, openSession, type SessionHeaders } from '#testing/people/open-session.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { startAskingServer, type AskingServer } from '../protocol/input-rounds/testing/asking-server.ts';

// Many clients write null for an absent member. For each client message, each member that may be absent (by the SDK's
// own schemas) is sent as null: the answer must be the same as without that member.

// why the cast: the SDK's type shows the standard interface only
const spec = specTypeSchemas as unknown as Record<keyof typeof specTypeSchemas, z.core.$ZodType>;
let app: TestApp;
let fixture: HttpFixture;
let asking: AskingServer;
let token: string;
/** Token of another user, who opens more sessions than a user may keep. */
let opening: string;
let url: string;
let session: SessionHeaders;
beforeAll(async () => {
  [fixture, asking] = await Promise.all([startHttpFixture('both'), startAskingServer()]);
  const env = {
    MCP_REQUESTS_PER_MINUTE: '100000',
    MCP_CALLS_PER_MINUTE_TOKEN: '100000',
    MCP_CALLS_PER_MINUTE_USER: '100000',
  };
  app = await startTestApp({ allowAddresses: [fixture.address, asking.address], env });
  await deployManifest(app, { id: 'dull', connection: { type: 'http', url: fixture.url } });
  await deployManifest(app, { id: 'asking', connection: { type: 'http', url: asking.url } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  ({ token: opening } = await app.identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' }));
  url = `${app.publicUrl}/mcp`;
  session = await openSession(url, token, { capabilities: { elicitation: {} } });
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([fixture?.close(), asking?.close()]);
});

type Message = { method: string; params?: Record<string, unknown> | null };

/** Existing names, in place of the samples that a schema accepts. */
const there: Record<string, object> = {
  'tools/call': { name: 'dull__echo' },
  'prompts/get': { name: 'dull__hello' },
  'resources/read': { uri: 'test://a' },
  initialize: { protocolVersion: '2025-11-25' },
};

function named({ method, params }: Message): Message {
  if (!params) return { method, ...(params === null && { params }) };
  const { ref } = params;
  const known = { name: 'dull__hello', uri: 'test://{name}' };
  return {
    method,
    params: { ...params, ...there[method], ...(ref !== undefined && { ref: { ...Object(ref), ...known } }) },
  };
}

/** Requests of a session that the gateway knows, with each member that may be null. */
const variants = [...nullVariants(spec.ClientRequest), ...nullVariants(spec.ClientNotification)].map(
  ({ path, withNull, without }) => ({
    path: `${Object(withNull).method} ${path}`,
    withNull: named(Object(withNull)),
    without: named(Object(without)),
  }),
);

/** Returns a response without the parts that differ each time. */
function said({ status, body }: RawAnswer): unknown {
  return { status, body };
}

async function ofSession(message: Message, type: string): Promise<unknown> {
  const sent = { jsonrpc: '2.0', ...(!message.method.startsWith('notifications/') && { id: 7 }), ...message };
  const headers = message.method === 'initialize' ? { authorization: `Bearer ${opening}` } : session;
  return said(await postRaw(url, JSON.stringify(sent), { ...headers, 'content-type': type }));
}

// the second type goes through the SDK, as messages other than calls do with either type
test.each([
  ['application/json', variants, 100],
  ['application/json; charset=utf-8', variants.filter(({ withNull }) => withNull.method === 'tools/call'), 4],
] as const)('null in a message up to 2025-11-25 means absent: %s', async (type, ofType, atLeast) => {
  expect(ofType.length).toBeGreaterThan(atLeast);
  const answers = new Map<string, unknown>();
  for (const { path, withNull, without } of ofType) {
    const key = JSON.stringify(without);
    const plain = answers.get(key) ?? (await ofSession(without, type));
    answers.set(key, plain);
    expect(await ofSession(withNull, type), path).toEqual(plain);
    // the comparison is not between two refusals
    expect(JSON.stringify(plain), path).toMatch(/"status":20[02]/);
    expect(JSON.stringify(plain), path).not.toContain('Invalid request');
  }
});

test('an empty list in a message means an empty object where one is expected, as PHP writes it', async () => {
  const variants = [...listVariants(spec.ClientRequest), ...listVariants(spec.ClientNotification)];
  expect(variants.length).toBeGreaterThan(40);
  for (const { path, withList, withObject } of variants) {
    const message = `${Object(withList).method} ${path}`;
    const meant = await ofSession(named(Object(withObject)), 'application/json');
    expect(await ofSession(named(Object(withList)), 'application/json'), message).toEqual(meant);
    expect(JSON.stringify(meant), message).toMatch(/"status":20[02]/);
  }
  // what the php-sdk sends for a tool without arguments, in both eras
  const params = { name: 'dull__echo', arguments: [] };
  const meant = said(await postModern(url, token, 'tools/call', { ...params, arguments: {} }));
  expect(said(await postModern(url, token, 'tools/call', params))).toEqual(meant);
  expect(meant).toMatchObject({ status: 200 });
  // a list among the arguments stays a list
  const lists = { name: 'dull__echo', arguments: { text: 'a', list: [] } };
  expect((await postModern(url, token, 'tools/call', lists)).body).toMatchObject({
    result: { content: [{ text: 'a' }] },
  });
});

test('null in a message since 2026-07-28 means absent', async () => {
  const modern = variants.filter(
    ({ withNull: { method, params } }) =>
      /^(?:tools|prompts|resources|completion)\//.test(method) &&
      !method.endsWith('subscribe') &&
      params?.['_meta'] !== null,
  );
  expect(modern.length).toBeGreaterThan(20);
  const ask = async ({ method, params }: Message) => said(await postModern(url, token, method, params ?? {}));
  for (const { path, withNull, without } of modern) {
    const plain = await ask(without);
    expect(await ask(withNull), path).toEqual(plain);
    expect(plain, path).toMatchObject({ status: 200, body: { result: expect.anything() } });
  }
  const plain = await ask({ method: 'tools/call', params: { name: 'dull__echo' } });
  for (const key of ['clientInfo', 'logLevel']) {
    const params = { name: 'dull__echo', _meta: { [`io.modelcontextprotocol/${key}`]: null, progressToken: null } };
    expect(await ask({ method: 'tools/call', params }), key).toEqual(plain);
  }
  for (const key of ['inputResponses', 'requestState']) {
    expect(await ask({ method: 'tools/call', params: { name: 'dull__echo', [key]: null } }), key).toEqual(plain);
  }
  const capabilities = nullVariants(spec.ClientCapabilities);
  for (const { path, withNull, without } of capabilities) {
    const called = (given: unknown) =>
      ask({
        method: 'tools/call',
        params: { name: 'dull__echo', _meta: { 'io.modelcontextprotocol/clientCapabilities': given } },
      });
    expect(await called(withNull), path).toEqual(await called(without));
  }
});

test("null in a client's answer to a question means absent", async () => {
  const forms = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
  const answered = async (answer: unknown) => {
    const params = { name: 'asking__ask', arguments: {}, _meta: forms };
    const asked = await postModern(url, token, 'tools/call', params);
    const { inputRequests, requestState } = Object(asked.body.result);
    const inputResponses = { [Object.keys(inputRequests)[0] ?? '']: answer };
    return (await postModern(url, token, 'tools/call', { ...params, inputResponses, requestState })).body.result;
  };
  const answers = nullVariants(spec.ElicitResult);
  expect(answers.length).toBeGreaterThan(7);
  for (const { path, withNull, without } of answers) {
    const plain = await answered(without);
    expect(plain, path).toMatchObject({ content: [{ text: expect.stringContaining('accept') }, {}] });
    expect(await answered(withNull), path).toEqual(plain);
  }
  // a field that was left empty
  const content = (given: object) => answered({ action: 'accept', content: { name: 'Zoe', ...given } });
  expect(await content({ other: null })).toEqual(await content({}));
});

test('null around a message means absent', async () => {
  const call = {
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'dull__echo', arguments: { text: 'a' } },
  };
  const sent = async (message: object) => said(await postRaw(url, JSON.stringify(message), session));
  const plain = await sent(call);
  expect(plain).toMatchObject({ status: 200, body: { result: { content: [{ text: 'a' }] } } });
  expect(await sent({ ...call, result: null, error: null })).toEqual(plain);
  const notice = { jsonrpc: '2.0', method: 'notifications/initialized', id: null, params: null };
  expect((await postRaw(url, JSON.stringify(notice), session)).status).toBe(202);
  // a null argument is left to the tool
  const asked = { ...call, params: { ...call.params, arguments: { text: null } } };
  expect(await sent(asked)).not.toEqual(await sent({ ...call, params: { ...call.params, arguments: {} } }));
  const opened = await postRaw(url, initializeRequest().replace('"capabilities":{}', '"capabilities":{"roots":null}'), {
    authorization: `Bearer ${token}`,
  });
  expect(opened.status).toBe(200);
});
