import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { initializeRequest, openSession, type SessionHeaders } from '#testing/people/open-session.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

// A response has the id of its request, or the request is refused without an id: never another number.

let app: TestApp;
let fixture: HttpFixture;
let token: string;
let session: SessionHeaders;
beforeAll(async () => {
  fixture = await startHttpFixture('both');
  const env = { MCP_REQUESTS_PER_MINUTE: '100000', MCP_CALLS_PER_MINUTE_TOKEN: '100000' };
  app = await startTestApp({ allowAddresses: [fixture.address], env: { ...withoutHealthChecks, ...env } });
  await deployManifest(app, { id: 'free', connection: { type: 'http', url: fixture.url } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  session = await openSession(mcp(), token, { revision: '2025-03-26' });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const mcp = () => `${app.publicUrl}/mcp`;
const call = { name: 'free__echo', arguments: { text: 'x' } };
const refused = { status: 400, body: { id: null, error: { code: -32600 } } };
/** The fast path, and the SDK. */
const types = ['application/json', 'application/json; charset=utf-8'];
/** Numbers that a double changes, or cannot count on from. */
const inexact = ['9007199254740993', '-9007199254740993', '9007199254740992', '12345678901234567890', '1e30', '1E400'];

/** Builds JSON in which `NUMBER` stands for a number as it is written. */
const withNumber = (message: object | readonly object[], number: string) =>
  JSON.stringify(message).replaceAll('"NUMBER"', number);

const request = (id: unknown, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, params });

test.each(inexact)('an id that no double can represent is refused, and not echoed: %s', async (number) => {
  for (const type of types) {
    const headers = { ...session, 'content-type': type };
    for (const [method, params] of [
      ['tools/call', call],
      ['ping', {}],
      ['tools/list', {}],
    ] as const) {
      const answer = await postRaw(mcp(), withNumber(request('NUMBER', method, params), number), headers);
      expect(answer, method).toMatchObject(refused);
    }
    const modern = modernRequest(token, 'tools/call', call);
    const body = modern.body.replace('"id":1', `"id":${number}`);
    expect(await postRaw(mcp(), body, { ...modern.headers, 'content-type': type })).toMatchObject(refused);
  }
  const opening = initializeRequest().replace('"id":1', `"id":${number}`);
  expect(await postRaw(mcp(), opening, { authorization: `Bearer ${token}` })).toMatchObject(refused);
});

test.each(inexact)(
  'such an id in a batch, of a canceled request or as a progress token is refused too: %s',
  async (number) => {
    const batch = [request(1, 'ping'), request('NUMBER', 'ping')];
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'NUMBER' } };
    const progress = {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'NUMBER', progress: 1 },
    };
    const wished = request(1, 'tools/call', { ...call, _meta: { progressToken: 'NUMBER' } });
    for (const message of [batch, cancelled, progress, wished]) {
      expect(await postRaw(mcp(), withNumber(message, number), session), JSON.stringify(message)).toMatchObject(
        refused,
      );
    }
  },
);

test.each(['9007199254740991', '-9007199254740991', '0', '"9007199254740993"', '"1e400"'])(
  'any other id is returned unchanged: %s',
  async (id) => {
    for (const type of types) {
      const sent = withNumber(request('NUMBER', 'tools/call', call), id);
      const { status, text } = await postRaw(mcp(), sent, { ...session, 'content-type': type });
      expect([status, text.includes(`"id":${id}`)], type).toEqual([200, true]);
    }
  },
);

test('long numbers elsewhere in a message are not ids', async () => {
  const long = {
    ...call,
    arguments: { text: 'x', id: 'NUMBER', requestId: 'NUMBER', _meta: { progressToken: 'NUMBER' } },
  };
  const answer = await postRaw(mcp(), withNumber(request(7, 'tools/call', long), '9007199254740993'), session);
  expect(answer).toMatchObject({ status: 200, body: { id: 7, result: { content: [{ text: 'x' }] } } });
});
