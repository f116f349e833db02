import { isInitializeRequest, type McpServer } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import { sendJsonRpcError } from './json-rpc-error.ts';
import type { Person } from './person.ts';
import { createSessionEvents, type SessionEvents } from './sessions/event-store.ts';
import { SessionTransport } from './sessions/session-transport.ts';
import { withFormMode } from './forward-request.ts';
import { createPlainCalls, type PlainCalls } from './plain/session-calls.ts';

/** Longer than any call may take, so that none is cut; a client that was away opens a new session by itself. */
const idleLimitMs = 30 * 60_000;
const sweepIntervalMs = 60_000;
/** How soon a client takes up a stream that broke. */
const retryMs = 1000;
const maxSessions = 10_000;
const maxSessionsPerUser = 100;

type Session = {
  transport: SessionTransport;
  server: McpServer;
  person: Person;
  usedAtMs: number;
  plainCalls: PlainCalls;
  events: SessionEvents;
};

/** Sessions of clients up to 2025-11-25. Each belongs to the token and the link that opened it: to others it does not exist. */
export type LegacySessions = {
  handle(request: IncomingMessage, response: ServerResponse, person: Person, body: unknown): Promise<void>;
  /** For a call beside the SDK: the session's calls, if it is this person's. */
  enterCall(id: string | string[] | undefined, person: Person): PlainCalls | undefined;
  /** Ends the sessions of a token that was revoked; all of them where it is not known which (undefined). */
  endForToken(tokenId: string | undefined): void;
  /** Of one person, or of everybody (undefined). */
  notifyListChanged(userId?: string): void;
  readonly size: number;
  stop(): Promise<void>;
};

export function createLegacySessions(options: {
  build(person: Person): McpServer;
  clock: Clock;
  ids: Ids;
}): LegacySessions {
  const { clock, ids } = options;
  const sessions = new Map<string, Session>();

  function end(id: string): void {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.plainCalls.end();
    void session?.server.close();
  }

  const sweep = setInterval(() => {
    const oldest = clock.now() - idleLimitMs;
    for (const [id, session] of sessions) {
      session.events.sweep();
      if (session.usedAtMs < oldest && session.transport.openCount === 0) end(id);
    }
  }, sweepIntervalMs);
  sweep.unref();

  /** The one unused for longest goes, of the same person first: nobody crowds out the others. */
  function makeRoom(userId: string): void {
    // one with a call under way goes last
    const isBusy = ([, { transport }]: [string, Session]) => (transport.openCount > 0 ? 1 : 0);
    const oldestOf = (candidates: [string, Session][]) =>
      candidates.sort((a, b) => isBusy(a) - isBusy(b) || a[1].usedAtMs - b[1].usedAtMs)[0]?.[0];
    const own = [...sessions].filter(([, session]) => session.person.caller.userId === userId);
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
    person: Person,
    body: unknown,
  ): Promise<void> {
    const server = options.build(person);
    const events = createSessionEvents(clock);
    const transport = new SessionTransport({
      eventStore: events,
      retryInterval: retryMs,
      sessionIdGenerator: () => ids.uuid(),
      onsessioninitialized: (id) => {
        makeRoom(person.caller.userId);
        sessions.set(id, {
          transport,
          server,
          person,
          usedAtMs: clock.now(),
          plainCalls: createPlainCalls(id, transport, () => withFormMode(server.server.getClientCapabilities())),
          events,
        });
      },
      onsessionclosed: (id) => end(id),
    });
    await server.connect(transport);
    await transport.serve(request, response, body, undefined);
    // refused before a session came of it
    if (transport.sessionId === undefined || !sessions.has(transport.sessionId)) await server.close();
  }

  return {
    async handle(request, response, person, body) {
      const id = request.headers['mcp-session-id'];
      if (typeof id === 'string') {
        const session = sessions.get(id);
        if (!session || !sameOwner(session.person, person)) {
          return sendJsonRpcError(response, 404, -32001, 'Session not found', body);
        }
        session.usedAtMs = clock.now();
        // The token may have been renewed since: what it allows now is what counts.
        session.person.caller = person.caller;
        session.plainCalls.heed(body);
        const revision = session.server.server.getNegotiatedProtocolVersion();
        return session.transport.serve(request, response, body, revision);
      }
      if (request.method !== 'POST') {
        response.setHeader('allow', 'POST');
        return sendJsonRpcError(response, 405, -32000, 'Method not allowed: open a session first', body);
      }
      // initialize is never part of one (2025-03-26, basic/lifecycle), so none can open a session
      if (Array.isArray(body)) {
        return sendJsonRpcError(response, 400, -32600, 'Invalid Request: a batch is part of a session of 2025-03-26');
      }
      if (!isInitializeRequest(body)) {
        return sendJsonRpcError(response, 400, -32000, 'Bad Request: Mcp-Session-Id is required', body);
      }
      return open(request, response, { ...person }, body);
    },

    enterCall(id, person) {
      const session = typeof id === 'string' ? sessions.get(id) : undefined;
      if (!session || !sameOwner(session.person, person)) return undefined;
      // a server is told of a level on the SDK's way
      if (session.person.logLevel !== undefined) return undefined;
      session.usedAtMs = clock.now();
      session.person.caller = person.caller;
      return session.plainCalls;
    },

    endForToken(tokenId) {
      for (const [id, session] of sessions) {
        if (tokenId === undefined || session.person.caller.tokenId === tokenId) end(id);
      }
    },

    notifyListChanged(userId) {
      for (const { server, person } of sessions.values()) {
        if (userId !== undefined && person.caller.userId !== userId) continue;
        const { prompts, resources } = server.server.getCapabilities();
        server.sendToolListChanged();
        // of lists that the session was not told of there is no news
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
      for (const { plainCalls } of open) plainCalls.end();
      await Promise.all(open.map(({ server }) => server.close()));
    },
  };
}

function sameOwner(a: Person, b: Person): boolean {
  return a.caller.userId === b.caller.userId && a.caller.tokenId === b.caller.tokenId && a.serverId === b.serverId;
}
