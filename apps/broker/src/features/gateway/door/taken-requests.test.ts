import { request as send, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { initializeRequest, openSession } from '#testing/people/open-session.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { startAskingServer, type AskingServer } from '../protocol/input-rounds/testing/asking-server.ts';

// How the gateway handles methods, bodies and accepted types of HTTP, as clients and tools send them.

let app: TestApp;
let fixture: HttpFixture;
let asking: AskingServer;
let token: string;
beforeAll(async () => {
  [fixture, asking] = await Promise.all([startHttpFixture('both'), startAskingServer()]);
  app = await startTestApp({ allowAddresses: [fixture.address, asking.address], env: withoutHealthChecks });
  await deployManifest(app, { id: 'free', connection: { type: 'http', url: fixture.url } });
  await deployManifest(app, { id: 'asking', connection: { type: 'http', url: asking.url } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([fixture?.close(), asking?.close()]);
});

const mcp = () => `${app.publicUrl}/mcp`;
const call = { name: 'free__echo', arguments: { text: 'x' } };
const callOf = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: call });
const called = { status: 200, body: { result: { content: [{ type: 'text', text: 'x' }] } } };

test.each(['PUT', 'PATCH', 'OPTIONS'])('%s answers 405 with the allowed methods', async (method) => {
  for (const path of ['/mcp', '/mcp/', '/s/free/mcp']) {
    const answer = await fetch(`${app.publicUrl}${path}`, { method });
    expect([answer.status, answer.headers.get('allow')], path).toEqual([405, 'GET, POST, DELETE']);
    expect(await answer.json()).toMatchObject({ error: { message: 'Method not allowed' } });
  }
});

test('since 2026-07-28 only POST is allowed', async () => {
  for (const method of ['GET', 'DELETE']) {
    const headers = { authorization: `Bearer ${token}`, 'mcp-protocol-version': '2026-07-28', accept: '*/*' };
    const answer = await fetch(mcp(), { method, headers });
    expect([answer.status, answer.headers.get('allow')], method).toEqual([405, 'POST']);
  }
});

test('a compressed body answers 415, and a body with the encoding identity is read', async () => {
  const session = await openSession(mcp(), token);
  const sent = (encoding: string, body: string | Uint8Array<ArrayBuffer>) =>
    postRaw(mcp(), body, { ...session, 'content-encoding': encoding });
  for (const encoding of ['gzip', 'br', 'GZIP, identity']) {
    const answer = await sent(encoding, new Uint8Array(gzipSync(callOf(7))));
    expect(answer, encoding).toMatchObject({ status: 415, body: { error: { code: -32600 } } });
    expect(answer.headers.get('accept-encoding')).toBe('identity');
  }
  expect(await sent('identity', callOf(8))).toMatchObject(called);
});

test.each(['*/*', 'text/html, */*;q=0.8', 'application/json, */*'])(
  'a client that accepts anything is answered: %s',
  async (accept) => {
    expect(await postModern(mcp(), token, 'tools/call', call, { accept })).toMatchObject(called);
    const opened = await postRaw(mcp(), initializeRequest(), { authorization: `Bearer ${token}`, accept });
    expect(opened.status).toBe(200);
    const session = await openSession(mcp(), token);
    // before and after the SDK has loaded the session
    for (const id of [7, 8]) expect(await postRaw(mcp(), callOf(id), { ...session, accept })).toMatchObject(called);
  },
);

/** Sends a request by hand, since fetch adds an Accept header of its own. */
async function answerTo(body: string, headers: Record<string, string>) {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  send(mcp(), { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }, resolve).end(body);
  const answer = await promise;
  return { status: answer.statusCode, type: answer.headers['content-type'], text: await text(answer), answer };
}

const accepting = (accept: string | undefined) => (accept === undefined ? {} : { accept });

const json = 'application/json';
const events = 'text/event-stream';
/** Response types of a call, and of everything else: the SDK prefers a stream. */
const acceptedTypes: readonly (readonly [accept: string | undefined, ofCalls: string, ofOthers: string])[] = [
  [undefined, json, events],
  ['', json, events],
  ['TEXT/EVENT-STREAM, APPLICATION/JSON', json, events],
  ['application/json', json, json],
  ['Application/JSON; charset=utf-8', json, json],
  ['application/json, text/plain;q=0.5, application/x-ndjson', json, json],
  ['application/json, text/event-stream;q=0', json, json],
  ['application/*', json, json],
  ['text/event-stream', events, events],
  ['Text/Event-Stream;q=0.9, application/json;q=0', events, events],
];

test.each(acceptedTypes)(
  'a call is answered in a type that its client accepts: Accept %s, %s',
  async (accept, type) => {
    const session = await openSession(mcp(), token);
    const modern = modernRequest(token, 'tools/call', call);
    const { accept: _, ...ofModern } = modern.headers;
    // before and after the SDK has loaded the session
    for (const id of [7, 8]) {
      const answer = await answerTo(callOf(id), { ...session, ...accepting(accept) });
      expect(answer).toMatchObject({ status: 200, type });
      expect(answer.text).toContain('"text":"x"');
    }
    const answer = await answerTo(modern.body, { ...ofModern, ...accepting(accept) });
    expect(answer).toMatchObject({ status: 200, type });
    expect(answer.text).toContain('"text":"x"');
  },
);

test.each(acceptedTypes)(
  'everything else in a session is answered in an accepted type too: Accept %s, %s, %s',
  async (accept, _ofCalls, type) => {
    const authorization = `Bearer ${token}`;
    const opened = await answerTo(initializeRequest(), { authorization, ...accepting(accept) });
    expect(opened).toMatchObject({ status: 200, type });
    expect(opened.text).toContain('"protocolVersion":"2025-11-25"');
    const session = { authorization, 'mcp-session-id': String(opened.answer.headers['mcp-session-id']) };
    const notice = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await answerTo(notice, { ...session, ...accepting(accept) })).toMatchObject({ status: 202, text: '' });
    const lists = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    const listed = await answerTo(lists, { ...session, ...accepting(accept) });
    expect(listed).toMatchObject({ status: 200, type });
    expect(listed.text).toContain('"free__echo"');
  },
);

test('a client that accepts only JSON gets one response: progress before it is left out, a batch is a list', async () => {
  const accept = 'application/json';
  const slow = { name: 'free__slow', arguments: { steps: 2, everyMs: 1 }, _meta: { progressToken: 'p' } };
  const done = { result: { content: [{ text: 'done' }] } };
  const session = await openSession(mcp(), token, { revision: '2025-03-26' });
  const request = (id: number, params: object) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
  // on the fast path, and through the SDK
  for (const type of ['application/json', 'application/json; charset=utf-8']) {
    const headers = { accept, 'content-type': type };
    const one = await postRaw(mcp(), JSON.stringify(request(7, slow)), { ...session, ...headers });
    expect(one, type).toMatchObject({ status: 200, body: { id: 7, ...done } });
    expect(one.headers.get('content-type'), type).toBe('application/json');
    const modern = await postModern(mcp(), token, 'tools/call', slow, headers);
    expect(modern, type).toMatchObject({ status: 200, body: done });
    expect(modern.headers.get('content-type'), type).toBe('application/json');
  }
  const batch = JSON.stringify([request(8, slow), request(9, call)]);
  const { status, text: both } = await postRaw(mcp(), batch, { ...session, accept });
  const answers: unknown = JSON.parse(both);
  expect([status, answers]).toEqual([200, expect.arrayContaining([expect.objectContaining({ id: 8 })])]);
  expect(answers).toHaveLength(2);
});

test('a call that has to ask a client that accepts only JSON fails immediately, and says why', async () => {
  const session = await openSession(mcp(), token, { capabilities: { elicitation: {} } });
  const ask = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'asking__ask', arguments: {} } };
  const answer = await postRaw(mcp(), JSON.stringify(ask), { ...session, accept: 'application/json' });
  const error = { code: -32600, message: 'The client accepts no event stream, so it cannot be asked (Accept)' };
  expect(answer).toMatchObject({ status: 200, body: { id: 7, error } });
});

test('a client that accepts neither type of MCP is refused with the reason, and one that accepts only JSON gets no notice stream', async () => {
  const session = await openSession(mcp(), token);
  const refused = { status: 406, body: { id: 7, error: { code: -32000 } } };
  for (const accept of ['text/html', 'application/jsonp, text/plain', 'application/json;q=0']) {
    expect(await postRaw(mcp(), callOf(7), { ...session, accept }), accept).toMatchObject(refused);
    const modern = await postModern(mcp(), token, 'tools/call', call, { accept });
    expect(modern, accept).toMatchObject({ status: 406, body: { id: 1 } });
    const opening = await postRaw(mcp(), initializeRequest(), { authorization: `Bearer ${token}`, accept });
    expect(opening.status, accept).toBe(406);
    // a notice has no response
    const notice = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    expect((await postRaw(mcp(), notice, { ...session, accept })).status, accept).toBe(202);
  }
  const accept = 'application/json';
  expect((await fetch(mcp(), { headers: { ...session, accept } })).status).toBe(406);
  const listen = await postModern(mcp(), token, 'subscriptions/listen', { notifications: {} }, { accept });
  expect(listen.status).toBe(406);
});

test('a notice sent before the session id is known is accepted', async () => {
  const notice = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const answer = await postRaw(mcp(), notice, { authorization: `Bearer ${token}` });
  expect([answer.status, answer.text]).toEqual([202, '']);
  const request = await postRaw(mcp(), callOf(7), { authorization: `Bearer ${token}` });
  expect(request).toMatchObject({
    status: 400,
    body: { error: { message: 'Bad Request: Mcp-Session-Id is required' } },
  });
});

test('a request without an id is refused, since it could not be answered', async () => {
  const session = await openSession(mcp(), token);
  const refusal = { status: 400, body: { id: null, error: { message: 'Invalid Request: a request has an id' } } };
  for (const id of ['', '"id":null,']) {
    const ping = `{"jsonrpc":"2.0",${id}"method":"ping"}`;
    expect(await postRaw(mcp(), ping, session)).toMatchObject(refusal);
    const opening = initializeRequest().replace('"id":1,', id);
    expect(await postRaw(mcp(), opening, { authorization: `Bearer ${token}` })).toMatchObject(refusal);
    const { headers, body } = modernRequest(token, 'tools/call', call);
    expect(await postRaw(mcp(), body.replace(/"id":(?:\d+|"[^"]*"),/, id), headers)).toMatchObject(refusal);
  }
  const notice = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  expect((await postRaw(mcp(), notice, session)).status).toBe(202);
});

test('spaces around a token are ignored', async () => {
  const { headers, body } = modernRequest(token, 'tools/call', call);
  // fetch would remove the last ones
  const answered = await new Promise<string>((resolve, reject) => {
    const request = send(
      mcp(),
      { method: 'POST', headers: { ...headers, authorization: `Bearer   ${token}  ` } },
      (answer) => void text(answer).then(resolve, reject),
    );
    request.on('error', reject).end(body);
  });
  expect(JSON.parse(answered)).toMatchObject(called.body);
});

test('subscriptions/listen refuses unknown resources', async () => {
  const listen = (uri: string) =>
    postModern(mcp(), token, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['test://a', uri] } });
  expect((await listen('nowhere://a')).body.error).toEqual({
    code: -32602,
    message: 'Resource not found: nowhere://a',
    data: { uri: 'nowhere://a' },
  });
});
