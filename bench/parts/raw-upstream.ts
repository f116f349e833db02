// An MCP server written by hand on node:http. It takes about 0.02 ms per call, so that the benchmark measures the gateway in
// front of it. It supports both eras, 2026-07-28 without sessions and up to 2025-11-25 with sessions, and has one tool, echo.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { servePart } from '../serve-part.ts';
import { serveHttp } from './listen.ts';

const modern = '2026-07-28';
const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26'];
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const info = { name: 'raw', version: '1.0.0' };
const serverMeta = { _meta: { 'io.modelcontextprotocol/serverInfo': info } };
const echo = {
  name: 'echo',
  description: 'Answers the text that it was given.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

type Message = {
  id?: string | number;
  method?: string;
  params?: {
    name?: string;
    protocolVersion?: string;
    arguments?: { text?: string };
    _meta?: Record<string, unknown>;
  };
};

const sessions = new Set<string>();
/** Hosts of requests since the last reading; each stands for one of many servers. */
let asked = new Set<string>();
let requests = 0;
let legacyHosts = false;

/** Number of servers contacted, and of requests, since the last reading. */
export type AskedServers = { servers: number; requests: number };

/** `legacyHosts`: addresses with an odd last number support only the revisions with sessions. */
export type RawUpstreamInput = { host?: string; legacyHosts?: boolean } | null;

await servePart((input: RawUpstreamInput) => {
  legacyHosts = input?.legacyHosts ?? false;
  return serveHttp((request, response) => {
    if (request.url === '/asked') return sendAsked(request, response);
    requests++;
    asked.add(request.headers.host ?? '');
    if (request.method === 'DELETE') return endSession(request, response);
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST, DELETE' }).end();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
  }, input?.host);
});

/** Checks the last number of the address: the 3 of 127.1.2.3:4000. */
function isLegacyHost({ headers: { host = '' } }: IncomingMessage): boolean {
  const [address = ''] = host.split(':');
  return legacyHosts && Number(address.split('.').at(-1)) % 2 === 1;
}

/** Returns the counts; DELETE also resets them. */
function sendAsked(request: IncomingMessage, response: ServerResponse): void {
  const counts: AskedServers = { servers: asked.size, requests };
  if (request.method === 'DELETE') {
    asked = new Set();
    requests = 0;
  }
  send(response, 200, counts, {});
}

function answer(request: IncomingMessage, response: ServerResponse, text: string): void {
  let message: Message;
  try {
    message = JSON.parse(text);
  } catch {
    return fail(response, 400, null, -32_700, 'Parse error');
  }
  const { _meta: meta } = message.params ?? {};
  const claim = meta?.[versionKey];
  if (claim !== undefined && !isLegacyHost(request)) return answerModern(request, response, message, claim);
  if (message.method === 'initialize') return initialize(response, message);
  if (message.method === 'server/discover') return fail(response, 400, message.id, -32_602, 'no protocol version');
  if (!sessions.has(String(request.headers['mcp-session-id']))) {
    return fail(response, 404, message.id, -32_001, 'Session not found');
  }
  if (message.id === undefined) return void response.writeHead(202).end();
  switch (message.method) {
    case 'ping':
      return succeed(response, message.id, {});
    case 'tools/list':
      return succeed(response, message.id, { tools: [echo] });
    case 'tools/call':
      return callTool(response, message, {});
    default:
      return fail(response, 200, message.id, -32_601, 'Method not found');
  }
}

function answerModern(request: IncomingMessage, response: ServerResponse, message: Message, claim: unknown): void {
  if (claim !== modern) {
    const data = { supported: [modern], requested: claim };
    return fail(response, 400, message.id, -32_022, 'Unsupported protocol version', data);
  }
  // the headers must match the body (2026-07-28, basic/transports)
  const { headers } = request;
  const name = message.method === 'tools/call' ? message.params?.name : undefined;
  if (
    headers['mcp-protocol-version'] !== claim ||
    headers['mcp-method'] !== message.method ||
    headers['mcp-name'] !== name
  ) {
    return fail(response, 400, message.id, -32_020, 'Header mismatch');
  }
  if (message.id === undefined) return void response.writeHead(202).end();
  const complete = { resultType: 'complete', ...serverMeta };
  const cache = { ttlMs: 60_000, cacheScope: 'public' };
  switch (message.method) {
    case 'server/discover':
      return succeed(response, message.id, {
        ...complete,
        ...cache,
        supportedVersions: [modern, ...legacyVersions],
        capabilities: { tools: {} },
      });
    case 'tools/list':
      return succeed(response, message.id, { ...complete, ...cache, tools: [echo] });
    case 'tools/call':
      return callTool(response, message, complete);
    default:
      return fail(response, 404, message.id, -32_601, 'Method not found');
  }
}

function initialize(response: ServerResponse, { id, params }: Message): void {
  const wanted = params?.protocolVersion ?? '';
  const protocolVersion = legacyVersions.includes(wanted) ? wanted : legacyVersions[0];
  const session = randomUUID();
  sessions.add(session);
  succeed(
    response,
    id,
    { protocolVersion, capabilities: { tools: {} }, serverInfo: info },
    { 'mcp-session-id': session },
  );
}

function endSession(request: IncomingMessage, response: ServerResponse): void {
  const known = sessions.delete(String(request.headers['mcp-session-id']));
  response.writeHead(known ? 204 : 404).end();
}

function callTool(response: ServerResponse, { id, params }: Message, era: object): void {
  const text = params?.arguments?.text;
  if (params?.name !== echo.name) return fail(response, 200, id, -32_602, `Unknown tool: ${params?.name}`);
  if (typeof text !== 'string') return fail(response, 200, id, -32_602, 'text: must be a string');
  succeed(response, id, { ...era, content: [{ type: 'text', text }] });
}

function succeed(
  response: ServerResponse,
  id: Message['id'],
  result: object,
  headers: Record<string, string> = {},
): void {
  send(response, 200, { jsonrpc: '2.0', id, result }, headers);
}

function fail(
  response: ServerResponse,
  status: number,
  id: Message['id'] | null,
  code: number,
  message: string,
  data?: unknown,
): void {
  send(response, status, { jsonrpc: '2.0', id: id ?? null, error: { code, message, data } }, {});
}

function send(response: ServerResponse, status: number, message: object, headers: Record<string, string>): void {
  const body = JSON.stringify(message);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
