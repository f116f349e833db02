import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Era } from '#adapters/mcp/upstream.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';

/** Exact bytes of a response. `ID` stands for the id of the request. */
export type Scripted = { status?: number; type?: string; body: string; headers?: Record<string, string> };

/** A received call; `text` is its message as received. */
export type SeenCall = { headers: IncomingHttpHeaders; message: Record<string, unknown>; text: string };

export type AnsweringServer = {
  url: string;
  address: string;
  /** Returns the calls that arrived since the last call of this function. */
  takeCalls(): SeenCall[];
  close(): Promise<void>;
};

const modernVersion = '2026-07-28';
/** Calls of `mirrored` go through the SDK on both sides, because it may mirror an argument in a header (SEP-2243). */
const region = { type: 'string', 'x-mcp-header': 'Region' };
const tools = [
  {
    name: 'say',
    inputSchema: { type: 'object' },
    // the second key is one that only the gateway may write
    _meta: { 'answering/mark': true, 'souk/creditCost': 99 },
  },
  { name: 'mirrored', inputSchema: { type: 'object', properties: { region } } },
];

/**
 * Starts a server of one era with two equal tools, `say` and `mirrored`. Their argument `what` selects the scripted
 * result. A further round has the result `{what}, answered`.
 * @param outputSchema output schema of both tools, if any
 */
export async function startAnsweringServer(
  era: Era,
  answers: Readonly<Record<string, Scripted>>,
  outputSchema?: object,
): Promise<AnsweringServer> {
  let calls: SeenCall[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => {});
    void readMessage(request).then(({ text, message }) => {
      if (message['method'] !== 'tools/call') return behave(era, message, response, outputSchema);
      calls.push({ headers: request.headers, message, text });
      const what = JSON.stringify(message['params']).match(/"what":"([^"]+)"/)?.[1] ?? '';
      const isAnswered = Object(message['params'])['requestState'] !== undefined;
      const answer = answers[isAnswered ? `${what}, answered` : what] ?? { body: '{}' };
      const { status = 200, type = 'application/json', headers, body } = answer;
      response.writeHead(status, { 'content-type': type, ...headers });
      response.end(body.replaceAll('ID', JSON.stringify(message['id'])).replaceAll('TOKEN', tokenOf(message)));
    });
  });
  const { port, close } = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    address: `127.0.0.1:${port}`,
    takeCalls() {
      const taken = calls;
      calls = [];
      return taken;
    },
    close,
  };
}

function behave(
  era: Era,
  { id, method }: Record<string, unknown>,
  response: ServerResponse,
  outputSchema: object | undefined,
): void {
  if (id === undefined || method === undefined) return void response.writeHead(202).end();
  const send = (status: number, rest: object) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...rest }));
  };
  const complete = era === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
  if (method === 'tools/list') {
    const promising = tools.map((tool) => ({ ...tool, ...(outputSchema && { outputSchema }) }));
    return send(200, { result: { ...complete, tools: promising } });
  }
  if (era === 'modern' && method === 'server/discover') {
    return send(200, { result: { ...complete, supportedVersions: [modernVersion], capabilities: { tools: {} } } });
  }
  if (era === 'legacy' && method === 'initialize') {
    const serverInfo = { name: 'answering', version: '1' };
    return send(200, { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } });
  }
  if (method === 'ping') return send(200, { result: complete });
  return send(era === 'modern' ? 404 : 400, { error: { code: -32_601, message: 'Method not found' } });
}

async function readMessage(request: IncomingMessage): Promise<{ text: string; message: Record<string, unknown> }> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const message: unknown = text === '' ? {} : JSON.parse(text);
  return { text, message: typeof message === 'object' && message !== null ? { ...message } : {} };
}

function tokenOf(message: Record<string, unknown>): string {
  return JSON.stringify(message).match(/"progressToken":("[^"]*"|\d+)/)?.[1] ?? 'null';
}
