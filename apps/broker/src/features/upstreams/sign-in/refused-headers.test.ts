import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asRecord } from '#platform/json.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { answerBy } from '#testing/servers/rpc-answer.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { signInPerson, type TestPerson } from './testing/person.ts';

// A server that answers 401 to every key but one.

let app: TestApp;
let ann: TestPerson;
let server: { port: number; close(): Promise<void> };

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.headers['x-key'] !== 'right') return void response.writeHead(401).end();
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method } = asRecord(await json(request)) ?? {};
  if (id === undefined) return void response.writeHead(202).end();
  const serverInfo = { name: 'locked', version: '1' };
  const results: Record<string, unknown> = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo },
    'tools/list': { tools: [{ name: 'open', inputSchema: { type: 'object' } }] },
  };
  answerBy(response, { id, method }, results);
}

beforeAll(async () => {
  server = await listenLocally(createServer((request, response) => void serve(request, response)));
  const address = `127.0.0.1:${server.port}`;
  app = await startTestApp({ allowAddresses: [address], env: withoutHealthChecks });
  ann = await signInPerson(app.publicUrl, 'ann@souk.test');
  await deployManifest(app, {
    id: 'locked',
    connection: { type: 'http', url: `http://${address}/mcp` },
    auth: { type: 'headers', headers: [{ name: 'X-Key', from: 'user' }] },
  });
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

const own = () => `/api/users/${ann.userId}/upstream-connections`;
async function account(): Promise<Record<string, unknown>> {
  const { body } = await ann.call('GET', own());
  const [first] = Array.isArray(body['connections']) ? body['connections'] : [];
  return asRecord(first) ?? {};
}
const enter = (key: string) => ann.call('PUT', `${own()}/locked`, { headers: { 'X-Key': key } });
const isOffered = async () => asRecord((await account())['offers'])?.['tools'] === 1;

test('a key that the server refuses is not shown as connected, and the account says why, until another is entered', async () => {
  await enter('wrong');
  await waitUntil('the refusal', async () => (await account())['state'] === 'headers-missing');
  expect(await account()).toMatchObject({
    error: 'The server refuses what you entered. Enter it again.',
    headers: [{ name: 'X-Key', present: false }],
  });
  await enter('right');
  await waitUntil('its offer', isOffered);
  const after = await account();
  expect(after).toMatchObject({ state: 'signed-in', headers: [{ present: true }] });
  expect(after).not.toHaveProperty('error');
});
