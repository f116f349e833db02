import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type Server } from '@modelcontextprotocol/server';
import { listenLocally } from '../apps/broker/src/testing/servers/listen-locally.ts';
import { createConformanceServer, type FixtureState } from './fixture-server.ts';

export type ConformanceFixture = { url: string; address: string; close(): Promise<void> };

/** Starts the upstream of the conformance runs. It supports one era only, so the gateway itself has to provide the other. */
export async function startConformanceFixture(era: 'legacy' | 'modern'): Promise<ConformanceFixture> {
  const sessions = new Map<string, { transport: NodeStreamableHTTPServerTransport; server: Server }>();
  const state: FixtureState = {
    extraTools: [],
    extraPrompts: [],
    announce() {
      modern.notify.toolsChanged();
      modern.notify.promptsChanged();
      for (const { server } of sessions.values()) {
        void server.sendToolListChanged();
        void server.sendPromptListChanged();
      }
    },
  };
  const modern = createMcpHandler(() => createConformanceServer(state), { legacy: 'reject' });
  const serveModern = toNodeHandler(modern);

  const http = createServer(async (request, response) => {
    if (era === 'modern') {
      return serveModern(
        Object.assign(request, { method: request.method ?? 'POST', url: request.url ?? '/' }),
        response,
      );
    }
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known) return known.transport.handleRequest(request, response);
    const server = createConformanceServer(state);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, { transport, server }),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await server.connect(transport);
    return transport.handleRequest(request, response);
  });
  const { port, close } = await listenLocally(http);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    address: `127.0.0.1:${port}`,
    async close() {
      await modern.close();
      for (const { server } of sessions.values()) await server.close();
      await close();
    },
  };
}
