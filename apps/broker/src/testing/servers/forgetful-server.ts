import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listenLocally } from './listen-locally.ts';

/** Error with which a server reports an unknown session. */
export type Loss = {
  status?: number;
  error?: { code: number; message: string };
  /** A body that is not JSON-RPC. */
  text?: string;
  isEvent?: boolean;
  /** Whether the error has no id, as if the request had not been read. */
  isWithoutId?: boolean;
};

export type ForgetfulServer = {
  url: string;
  address: string;
  /** Number of opened sessions. */
  readonly opened: number;
  /** Tools that ran, in order. */
  readonly ran: string[];
  /** Number of calls in a lost session. */
  readonly refused: number;
  /** Forgets every session, and reports it in this way from now on. */
  lose(loss: Loss): void;
  /** Makes calls wait from now on until the test answers them. */
  hold(): void;
  /** Waiting calls, in order of arrival. */
  readonly held: Held[];
  /** Answers calls immediately again. */
  release(): void;
  close(): Promise<void>;
};

/** A waiting call. `answer` checks the session first, as a slow server does. */
type Held = { answer(): void };
type Message = { id?: unknown; method?: string; params?: { name?: string } };

const region = { type: 'string', 'x-mcp-header': 'Region' };
/** Two of each tool: the SDK's client sends those that may mirror an argument in a header. */
const tools = [
  { name: 'look', annotations: { readOnlyHint: true } },
  { name: 'set', annotations: { idempotentHint: true } },
  { name: 'send' },
  { name: 'own' },
].flatMap((tool) => [
  { ...tool, inputSchema: { type: 'object' } },
  { ...tool, name: `${tool.name}_sdk`, inputSchema: { type: 'object', properties: { region } } },
]);

/** Error about an application session of the tool `own`, such as a browser's. */
export const ownSession = { code: -32_000, message: 'Session abc-123 not found' };

/** Starts a server up to 2025-11-25 that loses its sessions when a test wants it. */
export async function startForgetfulServer(): Promise<ForgetfulServer> {
  const sessions = new Set<string>();
  const held: Held[] = [];
  let loss: Loss = { status: 404 };
  let opened = 0;
  let refused = 0;
  let isHolding = false;
  const ran: string[] = [];

  function open(response: ServerResponse): object {
    const session = randomUUID();
    sessions.add(session);
    opened++;
    response.setHeader('mcp-session-id', session);
    const serverInfo = { name: 'forgetful', version: '1' };
    return { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } };
  }

  function call(name: string): object {
    ran.push(name);
    if (name.startsWith('own')) return { error: ownSession };
    return { result: { content: [{ type: 'text', text: `${name} ran` }] } };
  }

  function refuse(response: ServerResponse, id: unknown): void {
    refused++;
    const { status = 200, error, text, isEvent, isWithoutId } = loss;
    if (!error) return void response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
    send(response, { id: isWithoutId ? null : id, error }, status, isEvent);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    if (request.method !== 'POST') return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
    const { id, method, params } = (await json(request)) as Message;
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'initialize') return send(response, { id, ...open(response) });
    const session = String(request.headers['mcp-session-id']);
    const answer = () => {
      if (!sessions.has(session)) return refuse(response, id);
      if (method === 'tools/call') return send(response, { id, ...call(params?.name ?? '') });
      return send(response, { id, result: method === 'tools/list' ? { tools } : {} });
    };
    if (method === 'server/discover') {
      return send(response, { id, error: { code: -32_601, message: 'Method not found' } }, 400);
    }
    if (!isHolding || method !== 'tools/call') return answer();
    held.push({ answer });
  }

  const server = createServer((request, response) => void serve(request, response));
  const { port, close } = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    address: `127.0.0.1:${port}`,
    ran,
    held,
    get opened() {
      return opened;
    },
    get refused() {
      return refused;
    },
    lose(how) {
      loss = how;
      sessions.clear();
    },
    hold: () => void (isHolding = true),
    release() {
      isHolding = false;
      held.length = 0;
    },
    close,
  };
}

function send(response: ServerResponse, message: object, status = 200, isEvent = false): void {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  response.writeHead(status, { 'content-type': isEvent ? 'text/event-stream' : 'application/json' });
  response.end(isEvent ? `event: message\ndata: ${text}\n\n` : text);
}
