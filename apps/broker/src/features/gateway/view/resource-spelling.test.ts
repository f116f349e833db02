import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asRecord } from '#platform/json.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { answerBy } from '#testing/servers/rpc-answer.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

// Clients and servers write one address in several ways (RFC 3986, section 6.2.2). A server receives its own spelling.

let app: TestApp;
let token: string;
let server: { port: number; close(): Promise<void> };

const text = 'as its server wrote it';
const link = (uri: string) => ({ type: 'resource_link', uri, name: 'a' });
const callResults: Record<string, object> = {
  web: { content: [link('https://example.com/a'), link('HTTP://example.com/b'), link('httpsx://c')] },
  page: {
    content: [{ type: 'text', text }],
    _meta: { ui: { resourceUri: 'ui://page/x' }, 'openai/outputTemplate': 'ui://page/y', other: 'ui://page/z' },
  },
};
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = asRecord(await json(request)) ?? {};
  if (id === undefined) return void response.writeHead(202).end();
  const uri = asRecord(params)?.['uri'];
  const embedded = (of: string) => ({ type: 'resource', resource: { uri: of, text } });
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { resources: {}, tools: {}, prompts: {} },
      serverInfo: { name: 'spelling', version: '1' },
    },
    'tools/list': {
      tools: ['show', 'web', 'page'].map((tool) => ({ name: tool, inputSchema: { type: 'object' } })),
    },
    'tools/call': callResults[String(asRecord(params)?.['name'])] ?? {
      content: [embedded('files://host/Mein%20Haus'), embedded('inline://1'), embedded('docs://Host/a/b')],
    },
    'prompts/list': { prompts: [{ name: 'show' }] },
    'prompts/get': { messages: [{ role: 'user', content: embedded('inline://1') }] },
    'resources/list': {
      resources: [
        { uri: 'Files://HOST/Mein Haus', name: 'a' },
        { uri: 'files://host/%C3%BC%2fx', name: 'b' },
      ],
    },
    'resources/templates/list': {
      resourceTemplates: [
        { uriTemplate: 'DOCS://Host/a/{name}', name: 'c' },
        { uriTemplate: 'notes://My Notes/{id}', name: 'd' },
      ],
    },
    'resources/read': { contents: [{ uri, text: `reads ${String(uri)}` }] },
  };
  answerBy(response, { id, method }, results);
}

beforeAll(async () => {
  server = await listenLocally(createServer((request, response) => void serve(request, response)));
  const address = `127.0.0.1:${server.port}`;
  app = await startTestApp({ allowAddresses: [address], env: withoutHealthChecks });
  await deployManifest(app, {
    id: 'spelling',
    slug: 'spelling',
    connection: { type: 'http', url: `http://${address}/` },
  });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

const ask = async (link: string, method: string, params: Record<string, unknown>) =>
  (await postModern(`${app.publicUrl}${link}`, token, method, params)).body;

const spellings: [asked: string, own: string][] = [
  ['Files://HOST/Mein Haus', 'Files://HOST/Mein Haus'],
  ['files://host/Mein%20Haus', 'Files://HOST/Mein Haus'],
  ['FILES://Host/%4Dein%20Haus', 'Files://HOST/Mein Haus'],
  ['files://host/\u00fc%2Fx', 'files://host/%C3%BC%2fx'],
  ['docs://host/a/b', 'DOCS://Host/a/b'],
  ['docs://HOST/a/b%20c', 'DOCS://Host/a/b%20c'],
  ['notes://my%20notes/1', 'notes://My Notes/1'],
];
const links = ['/mcp', '/s/spelling/mcp'];
test.each(links.flatMap((link) => spellings.map(([asked, own]) => ({ link, asked, own }))))(
  'an address is read in the spelling of its server: $asked on $link',
  async ({ link, asked, own }) => {
    const { result } = await ask(link, 'resources/read', { uri: asked });
    expect(result).toMatchObject({ contents: [{ uri: asked, text: `reads ${own}` }] });
  },
);

test.each(['files://host/mein%20haus', 'files://host/\u00fc/x', 'docs://host/b', 'other://host'])(
  'another address is not found: %s',
  async (uri) => {
    expect((await ask('/mcp', 'resources/read', { uri })).error).toMatchObject({
      message: `Resource not found: ${uri}`,
    });
  },
);

test('embedded resources have the addresses at which they can be read, as links do', async () => {
  const shown = (uri: string) => ({ type: 'resource', resource: { uri, text } });
  const { result } = await ask('/mcp', 'tools/call', { name: 'spelling__show' });
  expect(result).toMatchObject({
    content: [shown('Files://HOST/Mein Haus'), shown('souk://spelling/inline://1'), shown('docs://Host/a/b')],
  });
  const prompt = await ask('/mcp', 'prompts/get', { name: 'spelling__show' });
  expect(prompt.result).toMatchObject({ messages: [{ content: shown('souk://spelling/inline://1') }] });
  const own = await ask('/s/spelling/mcp', 'tools/call', { name: 'show' });
  expect(own.result).toMatchObject({ content: [shown('files://host/Mein%20Haus'), shown('inline://1'), {}] });
  for (const { resource } of Object(result).content) {
    const read = await ask('/mcp', 'resources/read', { uri: resource.uri });
    expect(read.result, resource.uri).toMatchObject({ contents: [{ uri: resource.uri }] });
  }
});

test('links to the web stay unchanged, since clients fetch them from there', async () => {
  const { result } = await ask('/mcp', 'tools/call', { name: 'spelling__web' });
  expect(Object(result).content.map(({ uri }: { uri: string }) => uri)).toEqual([
    'https://example.com/a',
    'HTTP://example.com/b',
    'souk://spelling/httpsx://c',
  ]);
});

test("the page of a result has its server's address, as in the definition of its tool", async () => {
  const page = async (at: string, name: string) => Object((await ask(at, 'tools/call', { name })).result)._meta;
  expect(await page('/mcp', 'spelling__page')).toMatchObject({
    ui: { resourceUri: 'ui://souk/spelling/page/x' },
    'openai/outputTemplate': 'ui://souk/spelling/page/y',
    other: 'ui://page/z',
  });
  expect(await page('/s/spelling/mcp', 'page')).toMatchObject({ ui: { resourceUri: 'ui://page/x' } });
});
