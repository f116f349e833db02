import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { openSession } from '#testing/people/open-session.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { clearUsageRows, usageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { connectOverheard } from '../testing/overheard-client.ts';
import { startTellingServer, type TellingServer } from '../testing/telling-server.ts';

// Fast-path calls whose client gets more than a result: the SDK's server takes them over while they run.

const everything = { elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
const modes = { legacy: 'legacy', modern: { pin: '2026-07-28' } } as const;

let app: TestApp;
let servers: Record<'old' | 'new', TellingServer>;
let token: string;

beforeAll(async () => {
  servers = { old: await startTellingServer('legacy'), new: await startTellingServer('modern') };
  app = await startTestApp({ allowAddresses: Object.values(servers).map(({ address }) => address) });
  for (const [id, { url }] of Object.entries(servers)) {
    await deployManifest(app, { id, connection: { type: 'http', url } });
  }
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await Promise.all(Object.values(servers ?? {}).map((server) => server.close()));
});
beforeEach(async () => {
  for (const { calls } of Object.values(servers)) calls.length = 0;
  await clearUsageRows(app);
});

/** The fast path numbers its calls from here on: fast-channel.ts. */
const isFast = (id: unknown) => Number(id) >= 1_000_000_000;

const outcomes = async () => (await usageRows(app)).map(({ outcome }) => outcome);

/** Returns the headers of a handwritten request in a session whose client can answer every question. */
const openRawSession = async () => ({
  ...(await openSession(`${app.publicUrl}/mcp`, token, { capabilities: everything })),
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});

const call = (id: number, name: string, text: string, meta: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { text }, _meta: meta } });

test.each([
  ['legacy', 'old'],
  ['legacy', 'new'],
  ['modern', 'old'],
  ['modern', 'new'],
] as const)('a %s client is asked during a call of the server %s, and the call continues', async (mode, id) => {
  const { client, stop } = await connectOverheard(`${app.publicUrl}/mcp`, token, 'ann', modes[mode], everything);
  const result = await client.callTool({ name: `${id}__ask`, arguments: { text: 'x' } });
  expect(JSON.stringify(result.content)).toContain('ann-answer');
  // an old server is called once for all rounds; a modern one is called again with the answers
  expect(servers[id].calls.map(isFast)).toEqual(id === 'old' ? [true] : [true, false]);
  expect(await outcomes()).toEqual(['ok']);
  await stop();
});

test.each(['legacy', 'modern'] as const)(
  'an answer without a question is returned unchanged to a %s client',
  async (mode) => {
    const { client, stop } = await connectOverheard(`${app.publicUrl}/mcp`, token, 'ann', modes[mode], everything);
    for (const id of ['old', 'new'] as const) {
      const result = await client.callTool({ name: `${id}__echo`, arguments: { text: 'hello' } });
      expect(result.content).toEqual([{ type: 'text', text: 'hello' }]);
      expect(servers[id].calls.map(isFast)).toEqual([true]);
    }
    expect(await outcomes()).toEqual(['ok', 'ok']);
    await stop();
  },
);

test.each([
  ['legacy', 'old'],
  ['legacy', 'new'],
  ['modern', 'old'],
  ['modern', 'new'],
] as const)('progress reaches a %s client of the server %s before the answer', async (mode, id) => {
  const { client, stop } = await connectOverheard(`${app.publicUrl}/mcp`, token, 'ann', modes[mode], everything);
  const heard: unknown[] = [];
  const onprogress = ({ message }: { message?: string | undefined }) => void heard.push(message);
  const result = await client.callTool({ name: `${id}__report`, arguments: { text: 'y' } }, { onprogress });
  expect(result.content).toEqual([{ type: 'text', text: 'y' }]);
  expect(heard).toEqual(['y-progress']);
  expect(servers[id].calls.map(isFast)).toEqual([true]);
  await stop();
});

test('log messages of an old server during a call reach the calling session, in order', async () => {
  const session = await openRawSession();
  const answer = await fetch(`${app.publicUrl}/mcp`, {
    method: 'POST',
    headers: session,
    body: call(1, 'old__report', 'z', { progressToken: 'p' }),
  });
  const told = (await answer.text()).split('\n').flatMap((line) => (line.startsWith('data: {') ? [line] : []));
  expect(told.map((line) => /z-progress|z-log|"result"/.exec(line)?.[0])).toEqual(['z-progress', 'z-log', '"result"']);
  expect(servers.old.calls.map(isFast)).toEqual([true]);
});

test('a long call of a session is answered in a resumable stream and can be canceled', async () => {
  const session = await openRawSession();
  const answer = await fetch(`${app.publicUrl}/mcp`, {
    method: 'POST',
    headers: { ...session, 'mcp-protocol-version': '2025-11-25' },
    body: call(5, 'old__wait', 'long'),
  });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  const twice = await fetch(`${app.publicUrl}/mcp`, {
    method: 'POST',
    headers: session,
    body: call(5, 'old__echo', ''),
  });
  expect(twice.status).toBe(400);
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
  await fetch(`${app.publicUrl}/mcp`, { method: 'POST', headers: session, body: JSON.stringify(cancel) });
  const text = await answer.text();
  expect(text).toMatch(/^id: /m);
  expect(text).not.toContain('"result"');
  await waitUntil('the server to be notified', () => servers.old.cancelled.includes('long'));
  expect(await outcomes()).toEqual(['cancelled']);
  const after = await fetch(`${app.publicUrl}/mcp`, {
    method: 'POST',
    headers: session,
    body: call(5, 'old__echo', 'a'),
  });
  expect(await after.text()).toContain('"a"');
});

test('a modern client that disconnects during a question ends the call', async () => {
  const hangUp = new AbortController();
  const meta = { 'io.modelcontextprotocol/clientCapabilities': everything };
  const params = { name: 'old__wait', arguments: { text: 'gone' }, _meta: meta };
  const asked = fetch(`${app.publicUrl}/mcp`, {
    ...modernRequest(token, 'tools/call', params),
    signal: hangUp.signal,
  });
  await waitUntil('the call to arrive', () => servers.old.waiting.has('gone'));
  hangUp.abort();
  await expect(asked).rejects.toThrow('aborted');
  await waitUntil('the server to be notified', () => servers.old.cancelled.includes('gone'));
  expect(await outcomes()).toEqual(['cancelled']);
});

test('a question, progress and a log message reach the client after the call has become a stream', async () => {
  const session = await openRawSession();
  const post = (body: string) => fetch(`${app.publicUrl}/mcp`, { method: 'POST', headers: session, body });
  // the stream opens after the call has run for a second
  const stream = await post(call(6, 'old__late', 'late'));
  servers.old.waiting.get('late')?.();
  let text = '';
  let answered = false;
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString();
    const question = /^data: (.*late-question.*)$/m.exec(text)?.[1];
    if (question === undefined || answered) continue;
    answered = true;
    const { id } = JSON.parse(question);
    const result = { action: 'accept', content: { name: 'ann-answer' } };
    expect((await post(JSON.stringify({ jsonrpc: '2.0', id, result }))).status).toBe(202);
  }
  expect(text).toContain('ann-answer');
  expect(await outcomes()).toEqual(['ok']);
});

test.each([
  ['legacy', everything],
  ['modern', everything],
  ['legacy', {}],
  ['modern', {}],
] as const)('a URL that is not a web page never reaches a %s client with %o', async (mode, capabilities) => {
  for (const id of ['old', 'new'] as const) {
    const { client, heard, stop } = await connectOverheard(
      `${app.publicUrl}/mcp`,
      token,
      'ann',
      modes[mode],
      capabilities,
    );
    // a modern server that knows that the client cannot open pages returns an error itself
    const failed = await client.callTool({ name: `${id}__page`, arguments: { text: 'javascript:alert(1)' } }).then(
      (result) => result.isError,
      () => true,
    );
    expect(failed).toBe(true);
    expect(heard()).not.toContain('javascript:');
    await stop();
  }
});
