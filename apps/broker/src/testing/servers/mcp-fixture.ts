import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  inputRequired,
  InMemoryServerEventBus,
  isLegacyRequest,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
  type Tool,
} from '@modelcontextprotocol/server';
import { listenLocally } from './listen-locally.ts';

/** Requests that a fixture received. */
export type Seen = {
  /** Names of calls that were canceled while they ran. */
  cancelled: string[];
  /** JSON-RPC methods in the order of arrival, and the headers that came with them (HTTP). */
  requests: { method: string; headers: Record<string, string> }[];
};

export const fixtureTools: readonly Tool[] = [
  { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } },
  {
    name: 'slow',
    inputSchema: { type: 'object', properties: { steps: { type: 'integer' }, everyMs: { type: 'integer' } } },
  },
  { name: 'hang', inputSchema: { type: 'object' } },
  { name: 'refuse', inputSchema: { type: 'object' } },
  { name: 'capabilities', inputSchema: { type: 'object' } },
  { name: 'ask', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
  {
    name: 'region',
    inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
  },
  // the regular expression that blocked brokers which validate results in their own process
  {
    name: 'mismatch',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
  },
];

/** Tools that promise structured content, and mostly return none. */
export const promisingTools: readonly Tool[] = fixtureTools.map((tool) => ({
  outputSchema: { type: 'object' },
  ...tool,
}));

/** The same tools after an update: the schema of one and the text of another differ. */
export const changedTools: readonly Tool[] = fixtureTools.map((tool) => {
  if (tool.name === 'echo')
    return { ...tool, inputSchema: { type: 'object', properties: { bcc: { type: 'string' } } } };
  return tool.name === 'refuse' ? { ...tool, description: 'Says no.' } : tool;
});

/** Creates a small, honest MCP server of both eras; `seen` is shared by all instances of one fixture. */
export function createFixtureServer(
  seen: Seen = { cancelled: [], requests: [] },
  listed: () => readonly Tool[] = () => fixtureTools,
  others: () => { prompt?: string; resource?: string; template?: string } = () => ({}),
): Server {
  const server = new Server(
    { name: 'fixture', version: '1.0.0' },
    {
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: {}, completions: {} },
      instructions: 'be kind',
    },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: [...listed()] }));
  server.setRequestHandler('prompts/list', async () => ({ prompts: [{ name: others().prompt ?? 'hello' }] }));
  server.setRequestHandler('prompts/get', async (request) => ({
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: `prompt ${request.params.name}` } }],
  }));
  server.setRequestHandler('resources/list', async () => ({
    resources: [{ uri: others().resource ?? 'test://a', name: 'a' }],
  }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [{ uriTemplate: others().template ?? 'test://{name}', name: 'any' }],
  }));
  server.setRequestHandler('resources/read', async (request) => ({
    contents: [{ uri: request.params.uri, text: 'the text' }],
  }));
  server.setRequestHandler('completion/complete', async () => ({ completion: { values: ['one', 'two'] } }));
  server.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: given = {} } = request.params;
    const { signal } = context.mcpReq;
    const { _meta: meta, envelope } = context.mcpReq;
    const token = meta?.progressToken;
    switch (name) {
      case 'echo':
        return text(String(given['text']));
      case 'slow':
        for (let step = 1; step <= Number(given['steps']); step++) {
          await pause(Number(given['everyMs']), signal);
          if (token !== undefined) {
            await context.mcpReq.notify({
              method: 'notifications/progress',
              params: { progressToken: token, progress: step, total: Number(given['steps']) },
            });
          }
        }
        return text('done');
      case 'hang':
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        seen.cancelled.push(name);
        return text('cancelled');
      case 'refuse':
        throw new ProtocolError(-32_050, 'not today', { why: 42 });
      case 'capabilities':
        return text(
          JSON.stringify(
            Object.entries({ ...envelope }).find(([key]) => key === CLIENT_CAPABILITIES_META_KEY)?.[1] ?? null,
          ),
        );
      case 'ask':
        return context.mcpReq.inputResponses
          ? { ...text('thank you'), structuredContent: {} }
          : inputRequired({
              inputRequests: {
                name: inputRequired.elicit({
                  message: 'Your name?',
                  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
                }),
              },
            });
      case 'region':
        return text(String(given['region']));
      case 'mismatch':
        return { ...text('x'), structuredContent: { text: `${'a'.repeat(40)}!` } };
      default:
        // a tool that a test has added
        if (listed().some((tool) => tool.name === name)) return text(`${name} was called`);
        throw new ProtocolError(-32_602, `Unknown tool: ${name}`);
    }
  });
  return server;
}

export type HttpFixture = {
  url: string;
  /** host:port, for allow-lists. */
  address: string;
  seen: Seen;
  sessions: number;
  announceToolsChanged(): void;
  /** Offers these tools from now on, and says so. */
  setTools(tools: readonly Tool[]): void;
  /** Offers something else from now on to requests with this header (2026-07-28 only). */
  setToolsWith(header: string, value: string, tools: readonly Tool[]): void;
  /** Is another version from now on, which speaks these eras. */
  speak(next: 'both' | 'legacy' | 'modern'): void;
  /** Forgets all legacy sessions, as a restart would. */
  forgetSessions(): void;
  close(): Promise<void>;
};

/** Starts the fixture over streamable HTTP on a free port. */
export async function startHttpFixture(era: 'both' | 'legacy' | 'modern' = 'both'): Promise<HttpFixture> {
  const seen: Seen = { cancelled: [], requests: [] };
  let spoken = era;
  const bus = new InMemoryServerEventBus();
  const sessions = new Map<string, { transport: WebStandardStreamableHTTPServerTransport; server: Server }>();
  let offered = fixtureTools;
  const variants: { header: string; value: string; tools: readonly Tool[] }[] = [];
  const setToolsOf = (headers?: Headers) =>
    variants.find(({ header, value }) => headers?.get(header) === value)?.tools ?? offered;
  const create = (headers?: Headers) => createFixtureServer(seen, () => setToolsOf(headers));
  const modern = createMcpHandler(({ requestInfo }) => create(requestInfo?.headers), { legacy: 'reject', bus });

  async function legacy(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = sessions.get(id);
      return session ? session.transport.handleRequest(request) : rpcError(404, -32_001, 'Session not found');
    }
    if (request.method !== 'POST') return rpcError(405, -32_000, 'Method not allowed');
    const server = create();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, { transport, server }),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await server.connect(transport);
    return transport.handleRequest(request);
  }

  const handler = toNodeHandler({
    fetch: async (request) => {
      const body = await request.clone().text();
      const sent: unknown = body === '' ? undefined : JSON.parse(body);
      if (sent !== null && typeof sent === 'object' && 'method' in sent) {
        seen.requests.push({ method: String(sent.method), headers: Object.fromEntries(request.headers) });
      }
      const isLegacy = await isLegacyRequest(request.clone());
      if (isLegacy && spoken === 'modern')
        return rpcError(400, -32_022, 'Unsupported protocol version', {
          supported: ['2026-07-28'],
          requested: '2025-11-25',
        });
      if (!isLegacy && spoken === 'legacy') return rpcError(400, -32_000, 'Bad Request: Server not initialized');
      return isLegacy ? legacy(request) : modern.fetch(request);
    },
  });
  const http = createServer((request, response) => {
    void handler(Object.assign(request, { method: request.method ?? '', url: request.url ?? '/' }), response);
  });
  const { port, close } = await listenLocally(http);
  const announceToolsChanged = () => {
    bus.publish({ kind: 'tools_list_changed' });
    for (const { server } of sessions.values()) void server.sendToolListChanged();
  };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    address: `127.0.0.1:${port}`,
    seen,
    get sessions() {
      return sessions.size;
    },
    announceToolsChanged,
    setTools(tools) {
      offered = tools;
      announceToolsChanged();
    },
    setToolsWith: (header, value, tools) => void variants.push({ header, value, tools }),
    speak(next) {
      spoken = next;
      sessions.clear();
    },
    forgetSessions: () => sessions.clear(),
    async close() {
      await modern.close();
      for (const { server } of sessions.values()) await server.close();
      await close();
    },
  };
}

function text(value: string) {
  return { content: [{ type: 'text' as const, text: value }] };
}

function rpcError(status: number, code: number, message: string, data?: unknown): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message, data } }, { status });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
