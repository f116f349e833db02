import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asRecord } from '#platform/json.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { connectLegacy, connectModern } from '#testing/people/mcp-clients.ts';
import { answerBy } from '#testing/servers/rpc-answer.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

// Model providers accept [A-Za-z0-9_-]{1,64} as the name of a tool. A server may use any letters.

let app: TestApp;
let token: string;
let server: { port: number; close(): Promise<void> };

const inputSchema = { type: 'object' };
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = asRecord(await json(request)) ?? {};
  if (id === undefined) return void response.writeHead(202).end();
  const text = `ran ${String(asRecord(params)?.['name'])}`;
  answerBy(
    response,
    { id, method },
    {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, prompts: {} },
        serverInfo: { name: 'letters', version: '1' },
      },
      'tools/list': {
        tools: [
          { name: '查询天气', inputSchema },
          { name: 'Погода', title: 'Погода сегодня', inputSchema },
          { name: 'größe', annotations: { title: 'Größe' }, inputSchema },
          { name: 'plain_name', inputSchema },
          { name: 'with.dot', inputSchema },
        ],
      },
      'tools/call': { content: [{ type: 'text', text }] },
      'prompts/list': { prompts: [{ name: 'привет' }] },
      'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text } }] },
    },
  );
}

beforeAll(async () => {
  server = await listenLocally(createServer((request, response) => void serve(request, response)));
  const address = `127.0.0.1:${server.port}`;
  app = await startTestApp({ allowAddresses: [address], env: withoutHealthChecks });
  await deployManifest(app, {
    id: 'letters',
    slug: 'letters',
    connection: { type: 'http', url: `http://${address}/` },
  });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

test.each([
  ['2026-07-28', connectModern],
  ['up to 2025-11-25', connectLegacy],
])(
  'names in other scripts are readable on /mcp, keep the original as their title, and are callable (%s)',
  async (_era, connect) => {
    const client = await connect(`${app.publicUrl}/mcp`, token);
    const { tools } = await client.listTools();
    const listed = tools.filter(({ name }) => name.startsWith('letters__'));
    const hash = '[0-9a-f]{6}';
    expect(listed.map(({ name, title }) => [name, title])).toEqual([
      [expect.stringMatching(new RegExp(`^letters__cha_xun_tian_qi_${hash}$`)), '查询天气'],
      [expect.stringMatching(new RegExp(`^letters__pogoda_${hash}$`)), 'Погода сегодня'],
      [expect.stringMatching(new RegExp(`^letters__grosse_${hash}$`)), undefined],
      ['letters__plain_name', undefined],
      [expect.stringMatching(new RegExp(`^letters__with_dot_${hash}$`)), 'with.dot'],
    ]);
    const own = ['查询天气', 'Погода', 'größe', 'plain_name', 'with.dot'];
    for (const [at, { name }] of listed.entries()) {
      expect(await client.callTool({ name, arguments: {} })).toMatchObject({ content: [{ text: `ran ${own[at]}` }] });
    }
    const { prompts } = await client.listPrompts();
    expect(prompts).toMatchObject([
      { name: expect.stringMatching(new RegExp(`^letters__privet_${hash}$`)), title: 'привет' },
    ]);
    expect(await client.getPrompt({ name: prompts[0]?.name ?? '' })).toMatchObject({
      messages: [{ content: { text: 'ran привет' } }],
    });
    await client.close();
  },
);
