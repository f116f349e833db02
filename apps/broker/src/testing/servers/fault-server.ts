import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { asRecord } from '#platform/json.ts';
import { misbehave, type Fault } from './faults.ts';
import { listenLocally } from './listen-locally.ts';
import { areLimitsHeld } from '../figures/proof-size.ts';
import { answer, send, type Rpc } from './rpc-answer.ts';

export type { Fault };

export type FaultServer = {
  /** host:port, for allow-lists. */
  address: string;
  /**
   * Returns the address of a server with this fault: from the first request on, or honest until its first tools/call.
   */
  url(fault: Fault, when?: 'always' | 'on-call'): string;
  /** Every JSON-RPC request that arrived. */
  requests: { method: string; headers: IncomingHttpHeaders }[];
  openSockets(): number;
  close(): Promise<void>;
};

/** Starts a handwritten legacy MCP server with faults, on a free port of 127.0.0.1. */
export async function startFaultServer(): Promise<FaultServer> {
  const requests: FaultServer['requests'] = [];
  let open = 0;
  const server = createServer((request, response) => {
    response.on('error', () => {});
    void readRpc(request).then((rpc) => {
      requests.push({ method: rpc.method, headers: request.headers });
      const [, when = 'always', fault = 'none'] = (request.url ?? '').split('/');
      if (when === 'always' || rpc.method === 'tools/call') return misbehave(fault, rpc, response);
      return behave(fault, rpc, request, response);
    });
  });
  server.on('connection', (socket) => {
    open++;
    socket.on('close', () => open--);
  });
  const { port, close } = await listenLocally(server);
  return {
    address: `127.0.0.1:${port}`,
    url: (fault, when = 'on-call') => `http://127.0.0.1:${port}/${when}/${fault}`,
    requests,
    openSockets: () => open,
    close,
  };
}

async function readRpc(request: IncomingMessage): Promise<Rpc> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const body: unknown = text === '' ? {} : JSON.parse(text);
  if (body === null || typeof body !== 'object')
    return { id: undefined, method: '', cursor: undefined, progressToken: undefined };
  const params: unknown = 'params' in body ? body.params : undefined;
  const cursor = params !== null && typeof params === 'object' && 'cursor' in params ? params.cursor : undefined;
  const id = 'id' in body && (typeof body.id === 'string' || typeof body.id === 'number') ? body.id : undefined;
  return {
    id,
    method: 'method' in body ? String(body.method) : (request.method ?? ''),
    cursor: typeof cursor === 'string' ? cursor : undefined,
    progressToken: asRecord(asRecord(params)?.['_meta'])?.['progressToken'],
  };
}

function behave(fault: string, rpc: Rpc, request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  if (rpc.id === undefined) return void response.writeHead(202).end();
  switch (rpc.method) {
    case 'initialize':
      response.setHeader('mcp-session-id', 'one');
      return answer(response, rpc.id, {
        protocolVersion: '2025-06-18',
        capabilities: fault === 'hostile-template' ? { tools: {}, resources: {} } : { tools: {} },
        serverInfo: { name: 'fault', version: '1' },
      });
    case 'ping':
      if (fault === 'hang-ping') return;
      return answer(response, rpc.id, {});
    case 'resources/list':
      return answer(response, rpc.id, { resources: [] });
    case 'resources/templates/list':
      return answer(response, rpc.id, { resourceTemplates: [{ uriTemplate: hostileTemplate, name: 'hostile' }] });
    case 'tools/list':
      return answer(response, rpc.id, toolList(fault, rpc.cursor));
    default:
      return send(response, 200, 'application/json', {
        jsonrpc: '2.0',
        id: rpc.id,
        error: { code: -32_601, message: 'Method not found' },
      });
  }
}

function toolList(fault: string, cursor: string | undefined): unknown {
  const names = (count: number) => Array.from({ length: count }, (_, index) => tool(`tool-${index}`));
  if (fault === 'many-tools') return { tools: names(513) };
  if (fault === 'fat-tool') return { tools: [{ ...tool('fat'), description: 'x'.repeat(65 * 1024) }] };
  if (fault === 'fat-list') {
    const fat = names(80).map((each) => ({ ...each, description: 'x'.repeat(60 * 1024) }));
    return { tools: [...fat, tool('slim')] };
  }
  if (fault === 'dense-tools') {
    const properties = Object.fromEntries(
      Array.from({ length: areLimitsHeld() ? 900 : 90 }, (_, index) => [`k${index}`, { a: {} }]),
    );
    return { tools: names(128).map((each) => ({ ...each, inputSchema: { type: 'object', properties } })) };
  }
  if (fault === 'endless-pages') {
    const page = Number(cursor ?? 0);
    return { tools: [tool(`tool-${page}`)], nextCursor: String(page + 1) };
  }
  if (fault === 'slow-pattern') {
    const properties = { text: { type: 'string', pattern: '^(a+)+$' } };
    return { tools: [{ ...tool('call'), outputSchema: { type: 'object', properties } }] };
  }
  return { tools: [tool('call')] };
}

function tool(name: string): { name: string; inputSchema: { type: string } } {
  return { name, inputSchema: { type: 'object' } };
}

/** Eight variables, the maximum that is matched, and an end that no link has. */
const hostileTemplate = 'x:{+a}{+b}{+c}{+d}{+e}{+f}{+g}{+h}X';
