import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asRecord } from '#platform/json.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { answerBy } from '#testing/servers/rpc-answer.ts';
import { limitTurn } from '#testing/figures/limits.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

// A server chooses both its templates and the links in its results, and a user chooses the address that they read.

const templates = [
  'x:{+a}{+b}{+c}{+d}{+e}{+f}{+g}{+h}{+i}{+j}X',
  'x:{+a}/{+b}/{+c}X',
  // together with these as many as a server may have, half of them of the maximum length
  ...Array.from({ length: 255 }, (_, index) => `x:{+a}{+b}/{+c}a{+d}/{+e}a{+f}/{+g}{+h}${index}X`),
  ...Array.from({ length: 255 }, (_, index) => `x:{?a}${'ab'.repeat(1000)}{?b}{?c}${index}X`),
];
/** Short links, of which thousands fit into a result. */
const shortLinks = ['', 'x:', 'x:z', 'y'].flatMap((uri) =>
  Array.from({ length: 1000 }, () => ({ type: 'resource_link', uri, name: 'short' })),
);
const longAddress = `x://${'a/'.repeat(2048)}`;
const mostMs = 50;
let app: TestApp;
let token: string;
let server: { port: number; close(): Promise<void> };

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = asRecord(await json(request)) ?? {};
  if (id === undefined) return void response.writeHead(202).end();
  const serverInfo = { name: 'hostile', version: '1' };
  const results: Record<string, unknown> = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {}, resources: {} }, serverInfo },
    'tools/list': { tools: ['link', 'short'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
    'tools/call':
      asRecord(params)?.['name'] === 'short'
        ? { content: shortLinks }
        : {
            content: [
              { type: 'resource_link', uri: longAddress, name: 'long' },
              ...Array.from({ length: 100 }, (_, index) => ({
                type: 'resource_link',
                uri: `x:${index}${'a'.repeat(2000)}`,
                name: 'shorter',
              })),
            ],
          },
    'resources/list': { resources: [] },
    'resources/templates/list': {
      resourceTemplates: templates.map((uriTemplate, index) => ({ uriTemplate, name: `t${index}` })),
    },
    'resources/read': { contents: [] },
  };
  answerBy(response, { id, method }, results);
}

beforeAll(async () => {
  server = await listenLocally(createServer((request, response) => void serve(request, response)));
  const address = `127.0.0.1:${server.port}`;
  app = await startTestApp({ allowAddresses: [address], env: withoutHealthChecks });
  await deployManifest(app, { id: 'hostile', connection: { type: 'http', url: `http://${address}/mcp` } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

test('bad input 41: a call whose result has long links, of a server with hostile templates, is answered without blocking', async () => {
  const call = async () => {
    const { body } = await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', { name: 'hostile__link' });
    expect(JSON.stringify(body.result)).toContain('resource_link');
  };
  await call();
  await limitTurn(mostMs, call);
});

test('bad input 41: a call whose result has thousands of links to nothing is answered without blocking', async () => {
  const call = async () => {
    const { body } = await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', { name: 'hostile__short' });
    expect(JSON.stringify(body.result)).toContain('souk://hostile/x:z');
  };
  await call();
  await limitTurn(mostMs, call);
});

test.each([
  ['4 KiB', longAddress],
  ['two characters', 'x:'],
  ['just short enough to be matched', `x://${'a/'.repeat(1000)}`],
])('bad input 41: a user reads an address of %s among hostile templates', async (_what, uri) => {
  const read = async () => {
    const { status } = await postModern(`${app.publicUrl}/mcp`, token, 'resources/read', { uri });
    expect(status).toBe(200);
  };
  await read();
  await limitTurn(mostMs, read);
});
