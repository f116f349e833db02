import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern, postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { limitTurn } from '#testing/figures/limits.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { initializeRequest, openSession } from '#testing/people/open-session.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';

let app: TestApp;
let fixture: HttpFixture;
let token: string;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  const connection = { type: 'http', url: fixture.url };
  await deployManifest(app, { id: 'free', connection });
  await deployManifest(app, { id: 'paid', connection, billing: { tier: 'T3' } });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const mcp = () => `${app.publicUrl}/mcp`;
const bearer = () => ({ authorization: `Bearer ${token}` });
const rpc = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const initialize = () => initializeRequest({ revision: '2025-06-18' });
const openOwnSession = () => openSession(mcp(), token, { revision: '2025-06-18' });

describe('a malformed request', () => {
  test('security row 5: Mcp-Name or Mcp-Method that differ from the body answer 400, -32020, and nothing is called', async () => {
    const before = await usageRows(app);
    const calls = fixture.seen.requests.length;
    const params = { name: 'free__echo', arguments: { text: 'x' } };
    for (const over of [{ 'mcp-name': 'free__other' }, { 'mcp-method': 'tools/list' }]) {
      const answer = await postModern(mcp(), token, 'tools/call', params, over);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: -32020 } } });
    }
    expect(await usageRows(app)).toEqual(before);
    expect(fixture.seen.requests.length).toBe(calls);
  });

  test('security row 6: an unknown protocol version answers 400, and the modern answer lists what is supported', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2099-01-01',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const modern = await postRaw(mcp(), rpc('tools/list', { _meta: meta }), {
      ...bearer(),
      'mcp-protocol-version': '2099-01-01',
      'mcp-method': 'tools/list',
    });
    expect(modern).toMatchObject({ status: 400, body: { error: { code: -32022 } } });
    expect(JSON.stringify(modern.body.error?.data)).toContain('2026-07-28');
    const session = await openOwnSession();
    const legacy = await postRaw(mcp(), rpc('tools/list'), {
      ...session,
      'mcp-protocol-version': '1999-01-01',
    });
    expect(legacy.status).toBe(400);
  });

  test('security row 7: an unknown method answers 404 with -32601 to a modern client, 200 with -32601 to a legacy one', async () => {
    expect(await postModern(mcp(), token, 'no/such')).toMatchObject({ status: 404, body: { error: { code: -32601 } } });
    const session = await openOwnSession();
    const legacy = await postRaw(mcp(), rpc('no/such'), session);
    expect(legacy).toMatchObject({ status: 200, body: { id: 7, error: { code: -32601 } } });
  });

  test('security row 8: malformed JSON or invalid UTF-8 answers 400 with -32700', async () => {
    for (const body of ['{"jsonrpc":', '', 'hello', new Uint8Array([0x7b, 0xff, 0x7d])]) {
      expect(await postRaw(mcp(), body, bearer())).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
    }
  });

  test('security row 9: a body over 1 MiB answers 413 and one nested 65 deep -32600, and the event loop is not blocked', async () => {
    const refuse = async () => {
      const large = await postRaw(mcp(), JSON.stringify({ pad: 'x'.repeat(1024 * 1024) }), bearer());
      expect(large.status).toBe(413);
      const deep = await postRaw(mcp(), `${'['.repeat(65)}${']'.repeat(65)}`, bearer());
      expect(deep).toMatchObject({ status: 400, body: { error: { code: -32600, data: { code: 'too_deep' } } } });
      expect(deep.body.error?.message).toBe('Invalid Request: The request body is nested more than 64 levels deep.');
      const rest = await postRaw(`${app.publicUrl}/auth/pat`, `${'['.repeat(65)}${']'.repeat(65)}`, bearer());
      expect([rest.status, JSON.parse(rest.text)]).toEqual([
        400,
        { success: false, code: 'too_deep', message: 'The request body is nested more than 64 levels deep.' },
      ]);
      const veryDeep = await postRaw(mcp(), '['.repeat(500_000), bearer());
      expect(veryDeep).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
    };
    // this thread is both client and broker
    await limitTurn(50, refuse);
  });

  test("a MiB of values in the place of a call's arguments is refused before any schema reads it", async () => {
    const many = (text: string) => `[${`${text},`.repeat(Math.floor(1_000_000 / (text.length + 1)))}0]`;
    const meta = (capabilities: string) =>
      `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":${capabilities}}`;
    const message = (method: string, params: string) =>
      `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params}}`;
    const keys = `{${Array.from({ length: 80_000 }, (_, index) => `"k${index}":0`).join(',')}}`;
    const client = '"protocolVersion":"2025-11-25","clientInfo":{"name":"x","version":"1"}';
    const bodies = [
      ...['[]', `${'['.repeat(50)}${']'.repeat(50)}`].flatMap((text) => [
        message('initialize', `{${client},"capabilities":{"experimental":{"x":${many(text)}}}}`),
        message('tools/call', `{"name":"free__echo","_meta":${meta(`{"experimental":{"x":${many(text)}}}`)}}`),
        `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"x":${many(text)}}}`,
      ]),
      message('tools/list', keys),
      `[${message('tools/list', keys)}]`,
    ];
    for (const [index, body] of bodies.entries()) {
      const refuse = async () => {
        expect(await postRaw(mcp(), body, bearer())).toMatchObject({
          status: 400,
          body: { error: { code: -32600, message: expect.stringContaining('more than 5000 values') } },
        });
      };
      await limitTurn(250, refuse, { what: `body ${index}` });
    }
    const list = Array.from({ length: 100_000 }, (_, index) => index);
    const params = { name: 'free__echo', arguments: { text: 'x', list } };
    const called = await postModern(mcp(), token, 'tools/call', params);
    expect(called.body.result).toMatchObject({ content: [{ type: 'text' }] });
  });

  test('security row 11: an unknown tool answers -32602, and one that is not included names service and remedy', async () => {
    const call = (name: string) => postModern(mcp(), token, 'tools/call', { name, arguments: {} });
    expect((await call('free__nothing')).body.error).toEqual({ code: -32602, message: 'Unknown tool: free__nothing' });
    expect((await call('__proto__')).body.error).toEqual({ code: -32602, message: 'Unknown tool: __proto__' });
    const { result } = (await call('paid__echo')).body;
    expect(result).toMatchObject({ isError: true, _meta: { 'souk/code': 'not_included' } });
    const text = expect.stringMatching(
      /^paid is not in your plan\. .* Nothing was charged\. Get it: http.*\/service\/paid$/,
    );
    expect(result).toMatchObject({ content: [{ type: 'text', text }] });
  });

  test('ids of servers that are not deployed answer 404 on /s/{serverId}/mcp, and invalid ids name the link', async () => {
    const told = `Unknown server: no MCP server is at this address. The link is ${mcp()}`;
    for (const [id, message] of [
      ['nothing', 'Unknown server'],
      ['..%2Fx', told],
      ['__proto__', told],
    ]) {
      const answer = await postModern(`${app.publicUrl}/s/${id}/mcp`, token, 'tools/list');
      expect(answer).toMatchObject({ status: 404, body: { error: { code: -32001, message } } });
    }
  });

  test('GET and DELETE without a session answer 405, as do other methods', async () => {
    for (const method of ['GET', 'DELETE']) {
      expect((await fetch(mcp(), { method, headers: { ...bearer(), accept: 'text/event-stream' } })).status).toBe(405);
    }
    // the modern era has no sessions: a header that names one changes nothing
    const session = await openOwnSession();
    for (const method of ['GET', 'DELETE']) {
      const headers = { ...session, 'mcp-protocol-version': '2026-07-28' };
      expect((await fetch(mcp(), { method, headers })).status).toBe(405);
    }
    expect((await fetch(mcp(), { method: 'PUT', headers: bearer(), body: '{}' })).status).toBe(405);
  });

  test('a first request that is not initialize answers 400, and a batch is refused', async () => {
    expect(await postRaw(mcp(), rpc('tools/list'), bearer())).toMatchObject({
      status: 400,
      body: { id: 7, error: { code: -32000 } },
    });
    for (const version of [undefined, '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
      const headers = { ...bearer(), ...(version !== undefined && { 'mcp-protocol-version': version }) };
      for (const batch of [`[${rpc('tools/list')}]`, `[${initialize()}]`, '[]']) {
        const answer = await postRaw(mcp(), batch, headers);
        expect(answer).toMatchObject({ status: 400, body: { id: null, error: { code: -32600 } } });
      }
    }
  });

  test('after all of this the broker serves as before', async () => {
    const client = await connectModern(mcp(), token);
    expect((await client.callTool({ name: 'free__echo', arguments: { text: 'still here' } })).isError).toBeFalsy();
    await client.close();
    expect((await fetch(`${app.publicUrl}/healthz`)).status).toBe(200);
  });
});
