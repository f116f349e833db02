import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asRecord } from '#platform/json.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { answerBy } from '#testing/servers/rpc-answer.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

// Decides which server reads an unlisted address on /mcp that templates of several servers match.

/** Templates by server, in the order of their deployment; a list on /mcp begins with `aaa`. */
const templatesOf: Record<string, string[]> = {
  notes: ['notes://note/{id}', 'notes://{+path}'],
  aaa: ['{+whole}', 'notes://{+rest}', 'notes://note/{+id}'],
};
let app: TestApp;
let token: string;
let server: { port: number; close(): Promise<void> };

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const name = (request.url ?? '').slice(1);
  const { id, method, params } = asRecord(await json(request)) ?? {};
  if (id === undefined) return void response.writeHead(202).end();
  const uri = asRecord(params)?.['uri'];
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { resources: {} },
      serverInfo: { name, version: '1' },
    },
    'resources/list': { resources: [] },
    'resources/templates/list': {
      resourceTemplates: (templatesOf[name] ?? []).map((uriTemplate) => ({ uriTemplate, name: uriTemplate })),
    },
    'resources/read': { contents: [{ uri, text: `${name} reads ${String(uri)}` }] },
  };
  answerBy(response, { id, method }, results);
}

beforeAll(async () => {
  server = await listenLocally(createServer((request, response) => void serve(request, response)));
  const address = `127.0.0.1:${server.port}`;
  app = await startTestApp({ allowAddresses: [address], env: withoutHealthChecks });
  for (const id of Object.keys(templatesOf)) {
    await deployManifest(app, { id, slug: id, connection: { type: 'http', url: `http://${address}/${id}` } });
  }
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

async function ask(method: string, params: Record<string, unknown>): Promise<string> {
  const { body } = await postModern(`${app.publicUrl}/mcp`, token, method, params);
  return JSON.stringify(body);
}

test.each([
  ['that of the most specific template', 'notes://note/1'],
  ['of two equally specific templates, the one deployed first', 'notes://other/1'],
])('an address is read by one server: %s', async (_which, uri) => {
  expect(await ask('resources/read', { uri })).toContain(`notes reads ${uri}`);
});

test("a template without a scheme claims no other server's address: it gets the name of its server as a prefix", async () => {
  expect(await ask('resources/read', { uri: 'other://x' })).toContain('"error"');
  expect(await ask('resources/read', { uri: 'souk://aaa/other://x' })).toContain('aaa reads other://x');
  const listed = await ask('resources/templates/list', {});
  expect(listed).toContain('"uriTemplate":"souk://aaa/{+whole}"');
  expect(listed).not.toContain('"uriTemplate":"{+whole}"');
});
