import { request as send, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern, postRaw } from '#testing/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/mcp-fixture.ts';
import { modernRequest } from '#testing/modern-request.ts';
import { initializeRequest, openSession } from '#testing/open-session.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

// What HTTP says of methods, bodies and accepted types, as clients and tools send them.

let app: TestApp;
let fixture: HttpFixture;
let token: string;
beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  await deployManifest(app, { id: 'free', connection: { type: 'http', url: fixture.url } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const mcp = () => `${app.publicUrl}/mcp`;
const call = { name: 'free__echo', arguments: { text: 'x' } };
const callOf = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: call });
const called = { status: 200, body: { result: { content: [{ type: 'text', text: 'x' }] } } };

test.each(['PUT', 'PATCH', 'OPTIONS'])('%s answers 405 with the methods that there are', async (method) => {
  for (const path of ['/mcp', '/mcp/', '/s/free/mcp']) {
    const answer = await fetch(`${app.publicUrl}${path}`, { method });
    expect([answer.status, answer.headers.get('allow')], path).toEqual([405, 'GET, POST, DELETE']);
    expect(await answer.json()).toMatchObject({ error: { message: 'Method not allowed' } });
  }
});

test('since 2026-07-28 there is POST alone', async () => {
  for (const method of ['GET', 'DELETE']) {
    const headers = { authorization: `Bearer ${token}`, 'mcp-protocol-version': '2026-07-28', accept: '*/*' };
    const answer = await fetch(mcp(), { method, headers });
    expect([answer.status, answer.headers.get('allow')], method).toEqual([405, 'POST']);
  }
});

test('a compressed body answers 415, and one that says identity is read', async () => {
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
    // before and after the SDK has seen the session
    for (const id of [7, 8]) expect(await postRaw(mcp(), callOf(id), { ...session, accept })).toMatchObject(called);
  },
);

test('a client that says nothing of types is answered, and one that takes streams alone gets streams', async () => {
  const session = await openSession(mcp(), token);
  // fetch always sends the header
  const withAccept = async (accept: string | undefined) => {
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
    const headers = { ...session, 'content-type': 'application/json', ...(accept !== undefined && { accept }) };
    send(mcp(), { method: 'POST', headers }, resolve).end(callOf(9));
    const answer = await promise;
    return [answer.statusCode, answer.headers['content-type'], (await text(answer)).includes('"text":"x"')];
  };
  // before and after the SDK has seen the session
  for (let count = 0; count < 2; count++) {
    for (const nothing of [undefined, '']) {
      expect(await withAccept(nothing)).toEqual([200, 'application/json', true]);
    }
    expect(await withAccept('text/event-stream')).toEqual([200, 'text/event-stream', true]);
    expect(await withAccept('application/json')).toEqual([406, 'application/json', false]);
  }
});

test('a client that accepts neither type of MCP is told', async () => {
  const session = await openSession(mcp(), token);
  expect((await postRaw(mcp(), callOf(7), { ...session, accept: 'text/html' })).status).toBe(406);
});

test('a notice that comes before the session id is taken', async () => {
  const notice = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const answer = await postRaw(mcp(), notice, { authorization: `Bearer ${token}` });
  expect([answer.status, answer.text]).toEqual([202, '']);
  const request = await postRaw(mcp(), callOf(7), { authorization: `Bearer ${token}` });
  expect(request).toMatchObject({
    status: 400,
    body: { error: { message: 'Bad Request: Mcp-Session-Id is required' } },
  });
});

test('a request without an id is refused, since nothing would answer it', async () => {
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

test('spaces around a token are none of it', async () => {
  const { headers, body } = modernRequest(token, 'tools/call', call);
  // fetch would take the last ones away
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

test('subscriptions/listen refuses resources that are not there', async () => {
  const listen = (uri: string) =>
    postModern(mcp(), token, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['test://a', uri] } });
  expect((await listen('nowhere://a')).body.error).toEqual({
    code: -32602,
    message: 'Resource not found: nowhere://a',
    data: { uri: 'nowhere://a' },
  });
});
