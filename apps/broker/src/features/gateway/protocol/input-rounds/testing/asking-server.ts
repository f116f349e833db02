import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { ProtocolError, Server, type ServerContext } from '@modelcontextprotocol/server';
import { listenLocally } from '#testing/servers/listen-locally.ts';

export type AskingServer = {
  url: string;
  address: string;
  /** Returns the number of calls that were canceled while they waited for `release`. */
  cancelled(): number;
  /** Returns the number of calls that wait for it now. */
  waiting(): number;
  release(): void;
  close(): Promise<void>;
};

type Said = { content: { type: 'text'; text: string }[] };

/**
 * Starts a server up to 2025-11-25. Its tool `ask` asks `times` questions and returns what it received, and `bytes`
 * more. In between it sends `steps` of progress, logs `log`, waits (`wait`) for the test and asks `after` more, or
 * fails (`fail`).
 */
export async function startAskingServer(): Promise<AskingServer> {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const waiting = new Set<() => void>();
  let cancelled = 0;

  async function untilReleased(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        waiting.delete(end);
        resolve();
      };
      waiting.add(end);
      signal.addEventListener('abort', () => {
        cancelled += 1;
        end();
      });
    });
  }

  async function ask(given: Record<string, unknown>, context: ServerContext): Promise<Said> {
    const { mcpReq } = context;
    const heard: unknown[] = [];
    for (let time = 1; time <= Number(given['times'] ?? 1); time++) {
      heard.push(
        await mcpReq.elicitInput({
          message: `Question ${time}?`,
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
        }),
      );
    }
    const progressToken = mcpReq._meta?.progressToken ?? 'none';
    for (let progress = 1; progress <= Number(given['steps'] ?? 0); progress++) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
    }
    if (given['log'] !== undefined) await mcpReq.log('info', given['log']);
    if (given['wait'] === true) await untilReleased(mcpReq.signal);
    if (given['after'] !== undefined) heard.push(await ask({ times: given['after'] }, context));
    if (given['fail'] === true) throw new ProtocolError(-32_050, 'not today', { why: 42 });
    return {
      content: [
        { type: 'text' as const, text: JSON.stringify(heard) },
        { type: 'text' as const, text: 'x'.repeat(Number(given['bytes'] ?? 0)) },
      ],
    };
  }

  function create(): Server {
    const server = new Server(
      { name: 'asking', version: '1.0.0' },
      { capabilities: { tools: {}, prompts: {}, logging: {} } },
    );
    server.setRequestHandler('tools/list', async () => ({
      tools: [{ name: 'ask', inputSchema: { type: 'object' as const } }],
    }));
    server.setRequestHandler('tools/call', async ({ params }, context) => ask(params.arguments ?? {}, context));
    server.setRequestHandler('prompts/list', async () => ({ prompts: [{ name: 'asking' }] }));
    server.setRequestHandler('prompts/get', async (_request, context) => {
      const { content } = await ask({}, context);
      return { messages: content.map((block) => ({ role: 'user' as const, content: block })) };
    });
    return server;
  }

  const http = createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known) return known.handleRequest(request, response);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await create().connect(transport);
    return transport.handleRequest(request, response);
  });
  const { port, close } = await listenLocally(http);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    address: `127.0.0.1:${port}`,
    cancelled: () => cancelled,
    waiting: () => waiting.size,
    release() {
      for (const end of waiting) end();
    },
    async close() {
      for (const transport of sessions.values()) await transport.close();
      await close();
    },
  };
}
