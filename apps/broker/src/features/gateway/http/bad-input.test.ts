import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, connectModern, postModern, postRaw } from '#testing/mcp-clients.ts';
import { watchLongestTurn } from '#testing/longest-turn.ts';
import { startHttpFixture, type HttpFixture } from '#testing/mcp-fixture.ts';
import { initializeRequest, openSession } from '#testing/open-session.ts';
import { ScriptedBrowser } from '#testing/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/usage-rows.ts';

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

describe('a request without the right to make it', () => {
  test('[TOK-6] security row 1: without a token answers 401 and names the metadata of exactly this link', async () => {
    for (const path of ['/mcp', '/s/free/mcp']) {
      const answer = await postRaw(`${app.publicUrl}${path}`, initialize());
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="${app.publicUrl}/.well-known/oauth-protected-resource${path}", scope="mcp:tools mcp:prompts mcp:resources"`,
      );
      expect(answer.text).toContain('Authentication required. Please log in.');
      const metadata: unknown = await (
        await fetch(`${app.publicUrl}/.well-known/oauth-protected-resource${path}`)
      ).json();
      expect(metadata).toMatchObject({ resource: `${app.publicUrl}${path}` });
    }
  });

  test('a link that is opened in a browser says where it belongs, with the same status and challenge', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    for (const path of ['/mcp', '/s/free/mcp']) {
      const open = (headers: Record<string, string>) => fetch(`${app.publicUrl}${path}`, { headers });
      const [page, answer] = await Promise.all([open({ accept }), open({ accept: 'text/event-stream' })]);
      expect([page.status, answer.status]).toEqual([401, 401]);
      expect(page.headers.get('www-authenticate')).toBe(answer.headers.get('www-authenticate'));
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      const html = await page.text();
      expect(html).toContain('This link is for your AI client, not for a browser.');
      expect(html).toContain(`href="${app.publicUrl}/dashboard"`);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(await answer.text()).toContain('Authentication required. Please log in.');
      const refused = await open({ accept, authorization: 'Bearer nonsense' });
      expect(refused.headers.get('content-type')).toBe('application/json');
    }
    const posted = await postRaw(mcp(), initialize(), { accept });
    expect(posted.text).toContain('Authentication required. Please log in.');
  });

  test('security row 2: a token that is made up, or that stands in the address, answers 401', async () => {
    for (const value of ['Bearer nonsense', 'Bearer souk_pat_nonsense', 'Basic abc', `bearer`]) {
      const answer = await postRaw(mcp(), initialize(), { authorization: value });
      expect(answer.status).toBe(401);
      expect(answer.text).toContain('Authentication failed. Please log in again.');
    }
    expect((await postRaw(`${mcp()}?access_token=${token}`, initialize())).status).toBe(401);
  });

  test('[PAT-5] a token that was revoked answers 401 at once, and its legacy session is gone', async () => {
    const session = await openOwnSession();
    const own = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'short-lived' });
    const headers = { authorization: `Bearer ${own.token}` };
    const opened = await postRaw(mcp(), initialize(), headers);
    expect(opened.status).toBe(200);
    const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' });
    const revoked = await fetch(`${app.publicUrl}/auth/pat/${own.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(revoked.status).toBe(200);
    expect((await postRaw(mcp(), initialize(), headers)).status).toBe(401);
    expect((await postRaw(mcp(), rpc('ping'), session)).status).toBe(200);
  });

  test('a token that has expired answers 401', async () => {
    let nowMs = Date.now();
    const later = await startTestApp({ clock: { now: () => nowMs } });
    const old = await later.identity.createPersonalToken({ email: 'ann@souk.test', name: 'old', expiresInDays: 1 });
    const send = () => postRaw(`${later.publicUrl}/mcp`, initialize(), { authorization: `Bearer ${old.token}` });
    expect((await send()).status).toBe(200);
    nowMs += 25 * 60 * 60_000;
    expect((await send()).status).toBe(401);
    await later.stop();
  });

  test('[TOK-2] [TOK-3] [TOK-4] a token of the web or of another link answers 401, and works where it belongs', async () => {
    const { accessToken: web } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' });
    const resource = `${app.publicUrl}/s/free/mcp`;
    const { accessToken: single } = await new ScriptedBrowser(app.publicUrl).signInMcpClient({ resource });
    const { accessToken: all } = await new ScriptedBrowser(app.publicUrl).signInMcpClient();
    const status = async (url: string, bearerToken: string) =>
      (await postRaw(url, initialize(), { authorization: `Bearer ${bearerToken}` })).status;
    expect([await status(mcp(), web), await status(resource, web)]).toEqual([401, 401]);
    expect([await status(mcp(), single), await status(resource, single)]).toEqual([401, 200]);
    expect([await status(mcp(), all), await status(resource, all)]).toEqual([200, 401]);
  });

  test('a session of another token or another link answers 404, as one that never was', async () => {
    const session = await openOwnSession();
    const other = await app.identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' });
    const second = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'second' });
    const send = (bearerToken: string, id: string, url = mcp()) =>
      postRaw(url, rpc('tools/list'), { authorization: `Bearer ${bearerToken}`, 'mcp-session-id': id });
    expect((await send(token, session['mcp-session-id'])).status).toBe(200);
    for (const answer of [
      await send(other.token, session['mcp-session-id']),
      await send(second.token, session['mcp-session-id']),
      await send(token, session['mcp-session-id'], `${app.publicUrl}/s/free/mcp`),
      await send(token, 'no-such-session'),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { error: { code: -32001, message: 'Session not found' } } });
    }
  });

  test('security row 4: a foreign Origin or Host answers 403', async () => {
    for (const origin of ['https://evil.test', 'null', `${app.publicUrl}.evil.test`, 'http://localhost']) {
      expect((await postRaw(mcp(), initialize(), { ...bearer(), origin })).status).toBe(403);
    }
    expect((await postRaw(mcp(), initialize(), { ...bearer(), origin: app.publicUrl })).status).toBe(200);
    for (const host of ['evil.test', 'localhost', '127.0.0.1:1', 'localhost:1']) {
      expect(await statusWithHost(host)).toBe(403);
    }
    expect(await statusWithHost(new URL(app.publicUrl).host)).toBe(401);
  });

  test('a token without the scope of a method answers 403 insufficient_scope', async () => {
    const narrow = await app.identity.createPersonalToken({
      email: 'ann@souk.test',
      name: 'n',
      scopes: ['mcp:prompts'],
    });
    const answer = await postModern(mcp(), narrow.token, 'tools/list');
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
    expect(answer.headers.get('www-authenticate')).toContain('scope="mcp:tools mcp:prompts"');
    expect((await postModern(mcp(), narrow.token, 'prompts/list')).status).toBe(200);
  });
});

describe('a request that is not as it should be', () => {
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

  test('security row 6: a protocol version that nobody knows answers 400, and the modern answer lists what is supported', async () => {
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

  test('security row 7: an unknown method answers 404 with -32601 to the modern, 200 with -32601 to the legacy', async () => {
    expect(await postModern(mcp(), token, 'no/such')).toMatchObject({ status: 404, body: { error: { code: -32601 } } });
    const session = await openOwnSession();
    const legacy = await postRaw(mcp(), rpc('no/such'), session);
    expect(legacy).toMatchObject({ status: 200, body: { id: 7, error: { code: -32601 } } });
  });

  test('security row 8: malformed JSON, or what is not UTF-8, answers 400 with -32700', async () => {
    for (const body of ['{"jsonrpc":', '', 'hello', new Uint8Array([0x7b, 0xff, 0x7d])]) {
      expect(await postRaw(mcp(), body, bearer())).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
    }
  });

  test('security row 9: a body over 1 MiB answers 413 and one nested 65 deep -32600, and the event loop is not held up', async () => {
    const longestTurnMs = watchLongestTurn();
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
    // this thread is client and broker at once
    expect(longestTurnMs()).toBeLessThan(50);
  });

  test('security row 11: an unknown tool answers -32602, and one that is not included names service and remedy', async () => {
    const call = (name: string) => postModern(mcp(), token, 'tools/call', { name, arguments: {} });
    expect((await call('free__nothing')).body.error).toEqual({ code: -32602, message: 'Unknown tool: free__nothing' });
    expect((await call('__proto__')).body.error).toEqual({ code: -32602, message: 'Unknown tool: __proto__' });
    const { result } = (await call('paid__echo')).body;
    expect(result).toMatchObject({ isError: true, _meta: { 'souk/code': 'not_included' } });
    const text = expect.stringMatching(
      /^paid is not in your plan\. .* Nothing was charged\. See http.*\/service\/paid$/,
    );
    expect(result).toMatchObject({ content: [{ type: 'text', text }] });
  });

  test('ids of servers that are not deployed answer 404 alike on /s/{serverId}/mcp', async () => {
    const answers = await Promise.all(
      ['nothing', '..%2Fx', '__proto__'].map((id) => postModern(`${app.publicUrl}/s/${id}/mcp`, token, 'tools/list')),
    );
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 404, body: { error: { message: 'Unknown server' } } });
  });

  test('GET and DELETE without a session answer 405, as do other methods', async () => {
    for (const method of ['GET', 'DELETE']) {
      expect((await fetch(mcp(), { method, headers: { ...bearer(), accept: 'text/event-stream' } })).status).toBe(405);
    }
    // sessions are gone in the modern era: a header that names one changes nothing
    const session = await openOwnSession();
    for (const method of ['GET', 'DELETE']) {
      const headers = { ...session, 'mcp-protocol-version': '2026-07-28' };
      expect((await fetch(mcp(), { method, headers })).status).toBe(405);
    }
    expect((await fetch(mcp(), { method: 'PUT', headers: bearer(), body: '{}' })).status).toBe(404);
  });

  test('a first request that is not initialize answers 400, and a batch is none at all', async () => {
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

test('too many calls in a minute are answered as a result that says so, too many requests as 429; neither is forwarded', async () => {
  let laterMs = 0;
  const limited = await startTestApp({
    allowAddresses: [fixture.address],
    env: { MCP_CALLS_PER_MINUTE_TOKEN: '3', MCP_REQUESTS_PER_MINUTE_TOKEN: '10' },
    clock: { now: () => Date.now() + laterMs },
  });
  const mine = await limited.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  await deployManifest(limited, { id: 'free', connection: { type: 'http', url: fixture.url } });
  const client = await connectModern(`${limited.publicUrl}/mcp`, mine.token);
  const results = [];
  for (let index = 0; index < 5; index++) results.push(await client.callTool({ name: 'free__echo', arguments: {} }));
  expect(results.map((result) => result.isError === true)).toEqual([false, false, false, true, true]);
  expect(results[4]?._meta).toMatchObject({ 'souk/code': 'rate_limited' });
  await client.close();

  // lists and all else have a rate of their own, which no tool call takes from
  const link = `${limited.publicUrl}/mcp`;
  const newToken = async () =>
    (await limited.identity.createPersonalToken({ email: 'ann@souk.test', name: 'own' })).token;
  const own = await newToken();
  const clients = [await connectModern(link, own), await connectLegacy(link, own)];
  const list = () => postModern(link, own, 'tools/list');
  const statuses = [];
  for (let index = 0; index < 10; index++) statuses.push((await list()).status);
  expect([statuses[0], statuses[9]]).toEqual([200, 429]);
  const refused = await list();
  expect(refused).toMatchObject({
    status: 429,
    body: { id: 1, error: { message: expect.stringMatching(/Try again in [1-6] seconds?\./) } },
  });
  expect(refused.body.error?.data).toEqual({ code: 'rate_limited', retryAfterSeconds: expect.any(Number) });
  expect(refused.headers.get('retry-after')).toMatch(/^[1-6]$/);
  // clients of each era fail at once, and say why
  for (const each of clients) await expect(each.listTools()).rejects.toThrow('Too many requests in the last minute');
  // a batch counts as what is in it
  const batch = JSON.stringify(Array.from({ length: 5 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
  const batches = await newToken();
  const sendBatch = () => postRaw(link, batch, { authorization: `Bearer ${batches}` });
  expect([(await sendBatch()).status, (await sendBatch()).status, (await sendBatch()).status]).toEqual([400, 400, 429]);
  // what ends something under way is never too much
  const over = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  for (const message of [over, { jsonrpc: '2.0', id: 1, result: {} }]) {
    const told = await postRaw(link, JSON.stringify(message), { authorization: `Bearer ${own}` });
    expect(told.status).toBe(400);
    expect(told.body.error?.message).toContain('Mcp-Session-Id');
  }
  laterMs += 6_000;
  expect((await list()).status).toBe(200);
  await Promise.all(clients.map((each) => each.close()));
  await limited.stop();
});

/** fetch does not let its caller choose Host. */
function statusWithHost(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const url = new URL(mcp());
    const sent = httpRequest(
      { host: '127.0.0.1', port: url.port, path: '/mcp', method: 'POST', headers: { host } },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    sent.on('error', reject);
    sent.end(initialize());
  });
}
