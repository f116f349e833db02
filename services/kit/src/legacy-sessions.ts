import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport, type McpServer } from '@modelcontextprotocol/server';
import type { Clock } from './clock.ts';
import type { ServiceCaller } from './request-gate.ts';

/** Longer than any call may take, so that running calls are not interrupted. */
const idleLimitMs = 15 * 60_000;
const maxSessions = 256;
const sweepEveryMs = 60_000;

type Session = {
  transport: WebStandardStreamableHTTPServerTransport;
  server: McpServer;
  subject: string | undefined;
  lastUsedMs: number;
};

export type LegacySessions = {
  /** Serves a request from a client up to revision 2025-11-25. */
  handle(request: Request, caller: ServiceCaller): Promise<Response>;
  close(): Promise<void>;
};

/**
 * Opens a session for each client that sends `initialize`. A session is accessible only to the user who opened it. Above the limit, the
 * session that has been idle longest is closed.
 */
export function createLegacySessions(createServer: (caller: ServiceCaller) => McpServer, clock: Clock): LegacySessions {
  const sessions = new Map<string, Session>();
  const sweep = setInterval(() => closeIdle(sessions, clock.now()), sweepEveryMs).unref();

  return {
    async handle(request, caller) {
      const id = request.headers.get('mcp-session-id');
      if (id === null) {
        return request.method === 'POST' ? open(request, caller) : failed(405, -32_000, 'Method not allowed');
      }
      const session = sessions.get(id);
      if (!session || session.subject !== caller.subject) return failed(404, -32_001, 'Session not found');
      session.lastUsedMs = clock.now();
      return session.transport.handleRequest(request);
    },
    async close() {
      clearInterval(sweep);
      await Promise.all([...sessions.values()].map((session) => session.server.close()));
      sessions.clear();
    },
  };

  async function open(request: Request, caller: ServiceCaller): Promise<Response> {
    const server = createServer(caller);
    let opened = false;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        opened = true;
        makeRoom(sessions);
        sessions.set(id, { transport, server, subject: caller.subject, lastUsedMs: clock.now() });
      },
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    if (!opened) await server.close();
    return response;
  }
}

function makeRoom(sessions: Map<string, Session>): void {
  if (sessions.size < maxSessions) return;
  const [oldest] = [...sessions].sort(([, a], [, b]) => a.lastUsedMs - b.lastUsedMs);
  if (!oldest) return;
  sessions.delete(oldest[0]);
  void oldest[1].server.close();
}

function closeIdle(sessions: Map<string, Session>, nowMs: number): void {
  for (const [id, session] of sessions) {
    if (nowMs - session.lastUsedMs < idleLimitMs) continue;
    sessions.delete(id);
    void session.server.close();
  }
}

function failed(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
