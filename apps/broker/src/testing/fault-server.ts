import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { asRecord } from '#platform/json.ts';
import { listenLocally } from './listen-locally.ts';

/**
 * What the server does wrong.
 * - `hang`: takes the request and never answers; `hang-stream`: begins an event stream and sends nothing
 * - `html`: 200 with a page; `garbage`: 200 application/json that is no JSON; `not-rpc`: JSON that is no JSON-RPC
 * - `wrong-id`: an answer to a question nobody asked
 * - `cut-stream`: an event stream that ends without the answer; `reset`: the socket is torn down
 * - `progress-flood`, `log-flood`: progress of the call, or log messages, for ever
 * - `hostile-template`: a link and a template that take a backtracking matcher years
 * - `endless-stream`: valid notices for ever; `endless-garbage`: bad events for ever
 * - `huge-json`, `huge-event`: 700 MiB, made as fast as they are read
 * - `deep-json`, `deep-event`: a result of 200,000 nested arrays
 * - `slow-answer`, `slow-headers`: a byte now and then, for ever
 * - `twice`: the answer, and then another one to the same question
 * - `compressed`: a small body that says it is gzip; `header-bomb`: headers of 1 MiB
 * - `slow-pattern`: a result that takes years to check against the tool's own output schema
 * - `redirect`: 307 to the metadata address of clouds
 * - `unauthorized`, `forbidden`, `unavailable`, `session-lost`: 401 with a challenge, 403, 503, 404
 * - `many-tools`: 513 tools; `endless-pages`: a list that never ends; `fat-tool`: a definition of 65 KiB
 */
export type Fault =
  | 'none'
  | 'hang'
  | 'hang-stream'
  | 'html'
  | 'garbage'
  | 'not-rpc'
  | 'wrong-id'
  | 'cut-stream'
  | 'reset'
  | 'endless-stream'
  | 'progress-flood'
  | 'log-flood'
  | 'hostile-template'
  | 'endless-garbage'
  | 'huge-json'
  | 'huge-event'
  | 'deep-json'
  | 'deep-event'
  | 'slow-answer'
  | 'slow-headers'
  | 'twice'
  | 'compressed'
  | 'header-bomb'
  | 'slow-pattern'
  | 'redirect'
  | 'unauthorized'
  | 'forbidden'
  | 'unavailable'
  | 'session-lost'
  | 'many-tools'
  | 'endless-pages'
  | 'fat-tool';

export type FaultServer = {
  /** host:port, for allow-lists. */
  address: string;
  /** The address of a server with this fault: from the first request on, or honest until its first tools/call. */
  url(fault: Fault, when?: 'always' | 'on-call'): string;
  /** Every JSON-RPC request that arrived. */
  requests: { method: string; headers: IncomingHttpHeaders }[];
  /** Sockets that are open now. */
  openSockets(): number;
  close(): Promise<void>;
};

type Rpc = { id: string | number | undefined; method: string; cursor: string | undefined; progressToken: unknown };

/** A hand-written legacy MCP server with faults, on a free port of 127.0.0.1. */
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

/** A port of 127.0.0.1 where nothing listens. */
export async function findDeadPort(): Promise<number> {
  const { port, close } = await listenLocally(createServer());
  await close();
  return port;
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

function misbehave(fault: string, rpc: Rpc, response: ServerResponse): void {
  const id = rpc.id ?? null;
  switch (fault) {
    case 'none':
      return answer(response, id, { content: [{ type: 'text', text: 'fine' }] });
    case 'hang':
      return;
    case 'hang-stream':
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    case 'html':
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><h1>It works!</h1>');
    case 'garbage':
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc": "2.0", oops');
    case 'not-rpc':
      return send(response, 200, 'application/json', { hello: 'world' });
    case 'wrong-id':
      return answer(response, 424_242, { content: [] });
    case 'cut-stream':
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n');
    case 'reset':
      return void response.socket?.resetAndDestroy();
    case 'progress-flood': {
      const params = { progressToken: rpc.progressToken ?? id, progress: 1, message: 'x'.repeat(100) };
      return pour(response, 'text/event-stream', '', sseNotice('progress', params).repeat(100), Infinity);
    }
    case 'log-flood': {
      const params = { level: 'info', data: 'x'.repeat(100) };
      return pour(response, 'text/event-stream', '', sseNotice('message', params).repeat(100), Infinity);
    }
    case 'hostile-template': {
      const link = { type: 'resource_link', uri: `x:${'a'.repeat(2000)}`, name: 'hostile' };
      return answer(response, id, { content: [link] });
    }
    case 'endless-stream':
      return pour(
        response,
        'text/event-stream',
        '',
        sseNotice('message', { level: 'info', data: 'x' }).repeat(100),
        Infinity,
      );
    case 'endless-garbage':
      return pour(response, 'text/event-stream', '', 'data: no JSON\n\n'.repeat(1000), Infinity);
    case 'huge-json': {
      const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`;
      return pour(response, 'application/json', head, 'x'.repeat(1024 * 1024), 700);
    }
    case 'huge-event': {
      const head = `data: {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`;
      return pour(response, 'text/event-stream', head, 'x'.repeat(1024 * 1024), 700);
    }
    case 'deep-json':
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(deepAnswer(id));
    case 'deep-event':
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${deepAnswer(id)}\n\n`);
    case 'slow-answer':
      response.writeHead(200, { 'content-type': 'application/json' });
      return drip((byte) => response.write(byte), response);
    case 'slow-headers':
      response.socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
      return drip((byte) => response.socket?.write(byte), response);
    case 'twice': {
      const event = (text: string) =>
        `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })}\n\n`;
      return void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`${event('first')}${event('second')}`);
    }
    case 'compressed':
      return void response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')));
    case 'header-bomb':
      return void response
        .writeHead(200, { 'content-type': 'application/json', 'x-bomb': 'x'.repeat(1024 * 1024) })
        .end('{}');
    case 'slow-pattern':
      return answer(response, id, { content: [], structuredContent: { text: `${'a'.repeat(60)}!` } });
    case 'redirect':
      return void response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
    case 'unauthorized':
      return void response
        .writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://example.com/.well-known/x"' })
        .end();
    case 'forbidden':
      return void response.writeHead(403).end('no');
    case 'unavailable':
      return void response.writeHead(503).end();
    case 'session-lost':
      return send(response, 404, 'application/json', {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_001, message: 'Session not found' },
      });
    default:
      return void response.writeHead(404).end();
  }
}

/** Writes `head` and then `times` blocks, each only when the socket has taken the one before. */
function pour(response: ServerResponse, contentType: string, head: string, block: string, times: number): void {
  response.writeHead(200, { 'content-type': contentType });
  if (head !== '') response.write(head);
  let left = times;
  const write = () => {
    while (left-- > 0 && !response.destroyed) {
      if (!response.write(block)) return void response.once('drain', write);
    }
    response.end();
  };
  write();
}

/** One byte every 50 ms, until the other side has had enough. */
function drip(write: (byte: string) => unknown, response: ServerResponse): void {
  const timer = setInterval(() => write(' '), 50);
  response.once('close', () => clearInterval(timer));
}

function deepAnswer(id: string | number | null): string {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":{"deep":${deep}}}}`;
}

/** Eight variables, the most that are matched, and an end that no link has. */
const hostileTemplate = '{+a}{+b}{+c}{+d}{+e}{+f}{+g}{+h}X';

function sseNotice(what: 'progress' | 'message', params: object): string {
  return `data: ${JSON.stringify({ jsonrpc: '2.0', method: `notifications/${what}`, params })}\n\n`;
}

function answer(response: ServerResponse, id: string | number | null, result: unknown): void {
  send(response, 200, 'application/json', { jsonrpc: '2.0', id, result });
}

function send(response: ServerResponse, status: number, contentType: string, body: unknown): void {
  response.writeHead(status, { 'content-type': contentType }).end(JSON.stringify(body));
}
