import { isInitializeRequest, type McpServer, type RequestId } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import { sendJsonRpcError } from '../../http/json-rpc-error.ts';
import type { RequestContext } from '../../view/request-context.ts';
import { withExtra, type RequestExtra } from '../request-extra.ts';
import { createSessionEvents, type SessionEvents } from './event-store.ts';
import { SessionTransport } from './session-transport.ts';
import { withFormMode } from '../forward-request.ts';
import { createSessionCalls, type SessionCalls } from '../../fast-path/session-calls.ts';

/** Longer than the longest call, so that no call is cut. A client whose session has expired opens a new one. */
const idleLimitMs = 30 * 60_000;
const sweepIntervalMs = 60_000;
/** How soon a client should resume a broken stream. */
const retryMs = 1000;
const maxSessions = 10_000;
const maxSessionsPerUser = 100;

type Session = {
  transport: SessionTransport;
  server: McpServer;
  context: RequestContext;
  usedAtMs: number;
  /** Its token was revoked: running calls finish, nothing else is served. */
  isRetired: boolean;
  calls: SessionCalls;
  events: SessionEvents;
};

/** Sessions of clients up to 2025-11-25. Only the token and link that opened a session can use it; others get 404. */
export type LegacySessions = {
  handle(request: IncomingMessage, response: ServerResponse, extra: RequestExtra, body: unknown): Promise<void>;
  /** For a fast-path call: the session's calls, if the session belongs to this token and link. */
  enterCall(id: string | string[] | undefined, context: RequestContext): SessionCalls | undefined;
  /**
   * Ends the sessions of a revoked token; all sessions if it is unknown which token was revoked (undefined). They take no
   * more requests and their GET streams end at once; running calls are answered first.
   */
  endForToken(tokenId: string | undefined): void;
  /** Notifies the sessions of one user, or of all users (undefined). */
  notifyListChanged(userId?: string): void;
  readonly size: number;
  stop(): Promise<void>;
};

export function createLegacySessions(options: {
  build(context: RequestContext): McpServer;
  clock: Clock;
  ids: Ids;
}): LegacySessions {
  const { ids } = options;
  const time = elapsedTime(options.clock);
  const sessions = new Map<string, Session>();

  function end(id: string): void {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.calls.end();
    void session?.server.close();
  }

  function retire(id: string, session: Session): void {
    if (session.isRetired) return;
    session.isRetired = true;
    session.transport.closeWhenIdle(() => end(id));
  }

  const sweep = setInterval(() => {
    const oldest = time.now() - idleLimitMs;
    for (const [id, session] of sessions) {
      session.events.sweep();
      const mayEnd = session.isRetired || session.transport.openCount === 0;
      if (mayEnd && session.usedAtMs < oldest) end(id);
    }
  }, sweepIntervalMs);
  sweep.unref();

  /** Ends the session that is idle longest, the same user's first, so that one user cannot displace others. */
  function makeRoom(userId: string): void {
    // a session with a running call is ended last
    const isBusy = ([, { transport }]: [string, Session]) => (transport.openCount > 0 ? 1 : 0);
    const oldestOf = (candidates: [string, Session][]) =>
      candidates.sort((a, b) => isBusy(a) - isBusy(b) || a[1].usedAtMs - b[1].usedAtMs)[0]?.[0];
    const own = [...sessions].filter(([, session]) => session.context.caller.userId === userId);
    const victim =
      own.length >= maxSessionsPerUser
        ? oldestOf(own)
        : sessions.size >= maxSessions
          ? oldestOf([...sessions])
          : undefined;
    if (victim !== undefined) end(victim);
  }

  async function open(
    request: IncomingMessage,
    response: ServerResponse,
    extra: RequestExtra,
    body: unknown,
  ): Promise<void> {
    // the session outlives the request that opens it
    const context: RequestContext = { ...extra.context, request: undefined };
    const server = options.build(context);
    const events = createSessionEvents(time, (stream, isFirst) => transport.streams.named(stream, isFirst));
    const transport: SessionTransport = new SessionTransport({
      eventStore: events,
      retryInterval: retryMs,
      sessionIdGenerator: () => ids.uuid(),
      onsessioninitialized: (id) => {
        makeRoom(context.caller.userId);
        sessions.set(id, {
          transport,
          server,
          context,
          usedAtMs: time.now(),
          isRetired: false,
          calls: createSessionCalls(id, transport, () => withFormMode(server.server.getClientCapabilities())),
          events,
        });
      },
      onsessionclosed: (id) => end(id),
    });
    await server.connect(transport);
    await transport.serve(withExtra(request, extra), response, body, undefined);
    // the request was refused, so there is no session
    if (transport.sessionId === undefined || !sessions.has(transport.sessionId)) await server.close();
  }

  return {
    async handle(request, response, extra, body) {
      const { context } = extra;
      const id = request.headers['mcp-session-id'];
      if (typeof id === 'string') {
        const session = sessions.get(id);
        if (!session || !sameOwner(session.context, context) || (session.isRetired && !extra.underWay)) {
          return sendJsonRpcError(response, 404, -32001, 'Session not found', body);
        }
        session.usedAtMs = time.now();
        // the token may have been renewed: its current scopes apply
        session.context.caller = context.caller;
        session.calls.handle(body);
        const revision = session.server.server.getNegotiatedProtocolVersion();
        const listening = (requestId: RequestId) => session.transport.streams.listening(requestId);
        return session.transport.serve(withExtra(request, { ...extra, listening }), response, body, revision);
      }
      if (request.method !== 'POST') {
        response.setHeader('allow', 'POST');
        return sendJsonRpcError(response, 405, -32000, 'Method not allowed: open a session first', body);
      }
      // initialize is never part of a batch (2025-03-26, basic/lifecycle), so a batch cannot open a session
      if (Array.isArray(body)) {
        return sendJsonRpcError(response, 400, -32600, 'Invalid Request: a batch is part of a session of 2025-03-26');
      }
      if (!isInitializeRequest(body)) {
        return sendJsonRpcError(response, 400, -32000, 'Bad Request: Mcp-Session-Id is required', body);
      }
      return open(request, response, extra, body);
    },

    enterCall(id, context) {
      const session = typeof id === 'string' ? sessions.get(id) : undefined;
      if (!session || session.isRetired || !sameOwner(session.context, context)) return undefined;
      // only calls through the SDK pass the log level to the server
      if (session.context.logLevel !== undefined) return undefined;
      session.usedAtMs = time.now();
      session.context.caller = context.caller;
      return session.calls;
    },

    endForToken(tokenId) {
      for (const [id, session] of sessions) {
        if (tokenId === undefined || session.context.caller.tokenId === tokenId) retire(id, session);
      }
    },

    notifyListChanged(userId) {
      for (const { server, context, isRetired } of sessions.values()) {
        if (isRetired) continue;
        if (userId !== undefined && context.caller.userId !== userId) continue;
        const { prompts, resources } = server.server.getCapabilities();
        server.sendToolListChanged();
        // only announce changes of lists that the session knows
        if (prompts) server.sendPromptListChanged();
        if (resources) server.sendResourceListChanged();
      }
    },

    get size() {
      return sessions.size;
    },

    async stop() {
      clearInterval(sweep);
      const open = [...sessions.values()];
      sessions.clear();
      for (const { calls } of open) calls.end();
      await Promise.all(open.map(({ server }) => server.close()));
    },
  };
}

function sameOwner(a: RequestContext, b: RequestContext): boolean {
  return a.caller.userId === b.caller.userId && a.caller.tokenId === b.caller.tokenId && a.serverId === b.serverId;
}
