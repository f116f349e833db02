import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  inputRequired,
  InMemoryServerEventBus,
  Server,
  UrlElicitationRequiredError,
  type CallToolResult,
  type LoggingLevel,
  type RequestId,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { listenLocally } from '#testing/servers/listen-locally.ts';

export type TellingServer = {
  url: string;
  address: string;
  /** Log levels that clients set (up to 2025-11-25), in order. */
  levels: LoggingLevel[];
  /** Open calls of `wait`, by their text, each with a function that ends it. */
  waiting: Map<string, () => void>;
  cancelled: string[];
  /** Ids of the calls received, in order. */
  calls: RequestId[];
  /** Subscribed URIs (up to 2025-11-25). */
  subscribed: string[];
  /** Returns how often a client announced changed roots. */
  rootsChanged(): number;
  /** Notifies subscribers that a resource changed. */
  touch(uri: string): void;
  close(): Promise<void>;
};

const saying = { type: 'object' as const, properties: { text: { type: 'string' } } };
const appPage = 'ui://telling/page';
/** A page that is also in the list of resources. */
const listedPage = 'ui://telling/listed';

const tools: readonly Tool[] = [
  { name: 'echo', inputSchema: saying },
  { name: 'report', inputSchema: saying },
  { name: 'link', inputSchema: saying },
  { name: 'ask', inputSchema: saying },
  { name: 'wait', inputSchema: saying },
  { name: 'late', inputSchema: saying },
  { name: 'roots', inputSchema: saying },
  { name: 'page', inputSchema: saying },
  { name: 'show', inputSchema: saying, _meta: { ui: { resourceUri: appPage, visibility: ['model', 'app'] } } },
  { name: 'paint', inputSchema: saying, _meta: { 'ui/resourceUri': listedPage, 'openai/outputTemplate': listedPage } },
  { name: 'task', inputSchema: saying, execution: { taskSupport: 'required' } },
];

type Parts = Pick<TellingServer, 'levels' | 'waiting' | 'cancelled' | 'calls'> & {
  era: 'legacy' | 'modern';
  rootsChanges: number;
};

/** A server of one era that echoes its input through every feature of the protocol. */
export async function startTellingServer(era: 'legacy' | 'modern'): Promise<TellingServer> {
  const parts: Parts = { era, levels: [], waiting: new Map(), cancelled: [], calls: [], rootsChanges: 0 };
  const bus = new InMemoryServerEventBus();
  const modern = createMcpHandler(() => create(parts), { legacy: 'reject', bus });
  const serveModern = toNodeHandler(modern);
  type Session = { transport: NodeStreamableHTTPServerTransport; server: Server; watched: Set<string> };
  const sessions = new Map<string, Session>();

  const http = createServer(async (request, response) => {
    if (era === 'modern') {
      const { method = 'POST', url = '/' } = request;
      return serveModern(Object.assign(request, { method, url }), response);
    }
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known) return known.transport.handleRequest(request, response);
    const server = create(parts);
    const watched = new Set<string>();
    server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => (watched.add(uri), {}));
    server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => (watched.delete(uri), {}));
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, { transport, server, watched }),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await server.connect(transport);
    return transport.handleRequest(request, response);
  });
  const { port, close } = await listenLocally(http);
  return {
    ...parts,
    url: `http://127.0.0.1:${port}/mcp`,
    address: `127.0.0.1:${port}`,
    get subscribed() {
      return [...sessions.values()].flatMap(({ watched }) => [...watched]);
    },
    rootsChanged: () => parts.rootsChanges,
    touch(uri) {
      bus.publish({ kind: 'resource_updated', uri });
      for (const { server, watched } of sessions.values()) {
        if (watched.has(uri)) void server.sendResourceUpdated({ uri });
      }
    },
    async close() {
      await modern.close();
      for (const { server } of sessions.values()) await server.close();
      await close();
    },
  };
}

function create(parts: Parts): Server {
  const server = new Server(
    { name: 'telling', version: '1.0.0' },
    {
      capabilities: {
        tools: {},
        prompts: {},
        resources: { subscribe: true },
        // no completions in the legacy era, to test a server without them
        ...(parts.era === 'modern' && { completions: {} }),
        logging: {},
      },
    },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: [...tools] }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {}, _meta: meta } }, context) => {
    const said = String(given['text']);
    parts.calls.push(context.mcpReq.id);
    if (name === 'ask') return ask(said, context, parts);
    if (name === 'page') return showPage(said, parts);
    if (name === 'late') {
      await answers['wait']?.(said, context, parts);
      return ask(said, context, parts);
    }
    if (name === 'show') return { ...text(said), _meta: { 'telling/heard': meta?.['telling/said'] } };
    return (answers[name] ?? answers['echo'])?.(said, context, parts) ?? text(said);
  });
  server.setRequestHandler('prompts/list', async () => ({ prompts: [{ name: 'say', arguments: [{ name: 'text' }] }] }));
  server.setRequestHandler('prompts/get', async ({ params }) => ({
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: params.arguments?.['text'] ?? '' } }],
  }));
  server.setRequestHandler('resources/list', async () => ({
    resources: [
      { uri: 'note://all', name: 'all' },
      { uri: listedPage, name: 'listed' },
    ],
  }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [{ uriTemplate: 'note://{name}', name: 'one' }],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => ({
    contents: [
      {
        uri,
        text: uri.startsWith('ui://') ? `page of ${parts.era}` : `content of ${uri}`,
        ...(uri === appPage && { mimeType: 'text/html;profile=mcp-app', _meta: { ui: { prefersBorder: true } } }),
      },
    ],
  }));
  if (parts.era === 'modern') {
    server.setRequestHandler('completion/complete', async ({ params }) => ({
      completion: { values: [`${params.argument.value}-completed`] },
    }));
  } else {
    server.setRequestHandler('logging/setLevel', async ({ params }) => {
      parts.levels.push(params.level);
      return {};
    });
    server.setNotificationHandler('notifications/roots/list_changed', () => void parts.rootsChanges++);
  }
  return server;
}

type Answer = (said: string, context: ServerContext, parts: Parts) => Promise<CallToolResult>;

const answers: Record<string, Answer> = {
  echo: async (said) => text(said),
  async report(said, { mcpReq }, { era }) {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined) {
      const params = { progressToken, progress: 1, message: `${said}-progress` };
      await mcpReq.notify({ method: 'notifications/progress', params });
    }
    const log = { level: 'debug' as const, data: `${said}-log` };
    if (era === 'legacy') await mcpReq.notify({ method: 'notifications/message', params: log });
    else await mcpReq.log(log.level, log.data);
    return text(said);
  },
  link: async (said) => ({ content: [{ type: 'resource_link', uri: `hidden://${said}`, name: said }] }),
  async wait(said, { mcpReq: { signal } }, { waiting, cancelled }) {
    await new Promise<void>((resolve) => {
      waiting.set(said, resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    waiting.delete(said);
    if (signal.aborted) cancelled.push(said);
    return text(said);
  },
  roots: async (_said, { mcpReq }) => text(JSON.stringify(await mcpReq.send({ method: 'roots/list' }))),
};

/** Asks to open a page: the text itself if it is a URL, otherwise a page named after it. */
function showPage(said: string, { era }: Parts) {
  const page = { message: 'Please look', url: said.includes(':') ? said : `https://pages.test/${said}` };
  if (era === 'modern') return inputRequired({ inputRequests: { page: inputRequired.elicitUrl(page) } });
  throw new UrlElicitationRequiredError([{ mode: 'url', ...page, elicitationId: said }]);
}

/** Asks a question and echoes the answer, in the way of each era. */
async function ask(said: string, { mcpReq }: ServerContext, { era }: Parts) {
  const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
  const question = { message: `${said}-question`, requestedSchema };
  if (era === 'legacy') return text(JSON.stringify(await mcpReq.elicitInput(question)));
  if (mcpReq.inputResponses) return text(JSON.stringify(mcpReq.inputResponses));
  return inputRequired({ inputRequests: { name: inputRequired.elicit(question) }, requestState: `${said}-state` });
}

function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] };
}
