import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asRecord } from '#platform/json.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { answerBy } from '#testing/servers/rpc-answer.ts';
import { openSession, type SessionHeaders } from '#testing/people/open-session.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';

// An open question stops the deadline of its call. A disconnected client answers no question.

const patienceMs = 400;
let app: TestApp;
let server: { port: number; close(): Promise<void> };
let token: string;
let another: string;
/** Answers to the server's questions. */
const answers: unknown[] = [];
/** Calls that wait for an answer, by the ids of the questions. */
const calls = new Map<number, { id: unknown; stream: ServerResponse }>();

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const message = asRecord(await json(request)) ?? {};
  const { id, method } = message;
  if (method === undefined) {
    answers.push(message['result'] ?? message['error']);
    const call = calls.get(Number(id));
    const result = { content: [{ type: 'text', text: JSON.stringify(answers.at(-1)) }] };
    call?.stream.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: call.id, result })}\n\n`);
    return void response.writeHead(202).end();
  }
  if (id === undefined) return void response.writeHead(202).end();
  if (method === 'tools/call') {
    const question = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
    const asked = 1000 + calls.size;
    calls.set(asked, { id, stream: response });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const ask = { jsonrpc: '2.0', id: asked, method: 'elicitation/create', params: question };
    return void response.write(`data: ${JSON.stringify(ask)}\n\n`);
  }
  const serverInfo = { name: 'asking', version: '1' };
  const results: Record<string, unknown> = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
    'tools/list': { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] },
  };
  answerBy(response, { id, method }, results);
}

beforeAll(async () => {
  server = await listenLocally(createServer((request, response) => void serve(request, response)));
  const address = `127.0.0.1:${server.port}`;
  app = await startTestApp({
    allowAddresses: [address],
    questionPatienceMs: patienceMs,
    env: { ...withoutHealthChecks, MCP_IN_FLIGHT_USER: '1' },
  });
  await deployManifest(app, { id: 'asking', connection: { type: 'http', url: `http://${address}/mcp` } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  ({ token: another } = await app.identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

function post(session: SessionHeaders, message: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${app.publicUrl}/mcp`, {
    method: 'POST',
    headers: {
      ...session,
      'mcp-protocol-version': '2025-11-25',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    ...(signal && { signal }),
  });
}

/** Starts a call and reads its stream up to the question. */
async function beginCall(session: SessionHeaders, hangUp: AbortController, id = 7) {
  const call = { id, method: 'tools/call', params: { name: 'asking__ask' } };
  const answer = await post(session, call, hangUp.signal);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (part: string) => {
    while (!text.includes(part)) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
      if (done) throw new Error(`no ${part} in ${text}`);
      text += value;
    }
    return text;
  };
  const asked = await until('elicitation/create');
  const question = /^data: (\{.*elicitation\/create.*\})$/m.exec(asked)?.[1] ?? '{}';
  return { until, questionId: asRecord(JSON.parse(question))?.['id'] };
}

test('a question to a disconnected client is withdrawn, and its call frees its slot', async () => {
  const open = (bearer: string) => openSession(`${app.publicUrl}/mcp`, bearer, { capabilities: { elicitation: {} } });
  const session = await open(token);
  const hangUp = new AbortController();
  await beginCall(session, hangUp);
  hangUp.abort();
  await waitUntil('the server to be notified of the withdrawal', () => answers.length === 1);
  expect(answers[0]).toMatchObject({ message: expect.stringContaining('The client has gone, and cannot be asked') });
  await waitUntil('the call ended', async () => (await usageRows(app)).length === 1);
  // the user's only slot
  const next = await beginCall(session, new AbortController(), 8);
  // a connected client may take its time: longer than it takes to withdraw a later question to another client
  const gone = new AbortController();
  await beginCall(await open(another), gone);
  gone.abort();
  await waitUntil('the server to be notified of that withdrawal', () => answers.length === 2);
  await post(session, { id: next.questionId, result: { action: 'accept', content: {} } });
  expect(await next.until('"result"')).toContain('accept');
});
