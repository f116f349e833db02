import { createServer, type IncomingMessage } from 'node:http';
import { asRecord } from '#platform/json.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';

/** Lists of the server, sent as they are: also what no SDK would send. */
export type Lists = {
  tools?: readonly unknown[];
  prompts?: readonly unknown[];
  resources?: readonly unknown[];
  resourceTemplates?: readonly unknown[];
  instructions?: string;
};

export type ListServer = { url: string; address: string; offer(lists: Lists): void; close(): Promise<void> };

/**
 * Starts a handwritten server of one era that answers list requests with any content. `heard` is called for each
 * request.
 */
export async function startListServer(
  era: 'modern' | 'legacy',
  offered: Lists = {},
  heard: (method: unknown) => void = () => {},
): Promise<ListServer> {
  let lists = offered;
  const server = createServer((request, response) => {
    response.on('error', () => {});
    void readMessage(request).then(({ id, method }) => {
      heard(method);
      if (id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
      const result = typeof method === 'string' ? resultsOf(era, lists)[method] : undefined;
      const answer = result ? { result } : { error: { code: -32_601, message: 'Method not found' } };
      response.writeHead(result ? 200 : era === 'modern' ? 404 : 400, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  });
  const { port, close } = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    address: `127.0.0.1:${port}`,
    offer: (next) => (lists = next),
    close,
  };
}

function resultsOf(era: 'modern' | 'legacy', lists: Lists): Record<string, object> {
  const { tools = [], prompts = [], resources = [], resourceTemplates = [], instructions } = lists;
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  const told = { capabilities, ...(instructions !== undefined && { instructions }) };
  const complete = era === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
  const all: Record<string, object> = {
    'tools/list': { tools },
    'prompts/list': { prompts },
    'resources/list': { resources },
    'resources/templates/list': { resourceTemplates },
    'tools/call': { content: [{ type: 'text', text: 'done' }] },
    ping: {},
    ...(era === 'modern'
      ? { 'server/discover': { supportedVersions: ['2026-07-28'], ...told } }
      : { initialize: { protocolVersion: '2025-11-25', serverInfo: { name: 'lists', version: '1' }, ...told } }),
  };
  return Object.fromEntries(Object.entries(all).map(([method, result]) => [method, { ...complete, ...result }]));
}

async function readMessage(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (asRecord(JSON.parse(text)) ?? {});
}
