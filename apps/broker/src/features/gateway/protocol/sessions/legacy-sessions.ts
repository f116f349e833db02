import { isInitializeRequest, type McpServer, type RequestId } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import { asRecord } from '#platform/json.ts';
import type { SessionCalls } from '../../fast-path/session-calls.ts';
import { sendJsonRpcError } from '../../wire/json-rpc-error.ts';
import type { ListChanges, ListKind } from '../../view/list-changes.ts';
import type { RequestContext } from '../../view/request-context.ts';
import { withExtra, type RequestExtra } from '../request-extra.ts';
import type { ResourceSubscriptions } from '../subscriptions/resource-subscriptions.ts';
import { createLateAnswers } from './late-answers.ts';
import { createLiveSession, followSubscriptions, type LiveSession } from './live-session.ts';
import { readInitialize } from './read-initialize.ts';
import { createSessionMemory } from './session-memory.ts';
import { createSessionMessages } from './session-messages.ts';
import type { Stray, Waiting } from './stray.ts';
import { listenToSessions, type SessionNotice } from './session-notices.ts';
import { createSessionStore, hashOfSession, type Initialized } from './session-store.ts';
import { createStoredSubscriptions } from './stored-subscriptions.ts';

const sweepIntervalMs = 60_000;
/** Answers and cancellations of a token that are passed on to other processes. */
const passedOnPerMinute = 600;

/** Sessions of clients up to 2025-11-25. Only the token and link that opened a session can use it; others get 404. */
export type LegacySessions = {
  handle(request: IncomingMessage, response: ServerResponse, extra: RequestExtra, body: unknown): Promise<void>;
  /** For a fast-path call: the session's calls, if the session is in memory and belongs to this token and link. */
  enterCall(id: string | string[] | undefined, context: RequestContext): SessionCalls | undefined;
  /**
   * Ends the sessions of a revoked token: they take no more requests and their GET streams end at once; running calls are
   * answered first. If it is unknown which token was revoked (undefined), all GET streams end: clients that open
   * them again are authenticated again, as with every request.
   */
  endForToken(tokenId: string | undefined): void;
  /** Ends the streams that belong to no call: clients open them again. */
  endStreams(): void;
  /** Notifies the sessions of one user, or of all users (undefined). */
  notifyListChanged(changes?: ListChanges): void;
  /** Removes the rows of sessions that have been idle for too long. */
  removeExpired(): Promise<void>;
  /** Sessions in the memory of this process. */
  readonly size: number;
  stop(): Promise<void>;
};

export async function createLegacySessions(options: {
  build(context: RequestContext): McpServer;
  subscriptions: ResourceSubscriptions;
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
}): Promise<LegacySessions> {
  const { db, ids, log, clock } = options;
  const time = elapsedTime(clock);
  const store = createSessionStore({ db, clock });
  const storedSubscriptions = createStoredSubscriptions(db);
  const memory = createSessionMemory({ store, time, clock, log });
  const notices = await listenToSessions(db, log, {
    notice: heed,
    missed: () => void readAgain(true),
    unheard: () => void readAgain(false),
  });

  const tellChanged = (session: string) => notices.tell({ kind: 'subscriptions', session });

  const messages = createSessionMessages({ db, clock, ids });
  const passOnRate = createRateLimit(passedOnPerMinute, clock);
  const lateAnswers = createLateAnswers({ messages, passOn, log });

  function heed(notice: SessionNotice): void {
    if (notice.kind === 'ended') return memory.endHash(notice.session);
    if (notice.kind === 'message') return void deliver(notice.message);
    const session = memory.ofHash(notice.session);
    if (notice.kind === 'subscriptions') return session && follow(session, false);
    if (session) session.context.logLevel = notice.level;
  }

  function follow(session: LiveSession, mayHaveChanged: boolean): void {
    followSubscriptions(session, mayHaveChanged).catch((error: unknown) => {
      log.warn({ err: error }, 'the subscriptions of a session could not be read');
    });
  }

  /** Delivers a message that reached another process, if it is meant for this one. */
  async function deliver(waiting: Waiting): Promise<void> {
    const session = memory.ofHash(waiting.session);
    if (!session?.transport.awaits(waiting)) return;
    try {
      const message = await messages.take(waiting);
      if (message === undefined || session.subscriptions.isKnown(message)) return;
      session.calls.handle(message);
      await session.transport.deliver(waiting, message);
    } catch (error) {
      log.warn({ err: error }, 'a message of a session could not be delivered');
    }
  }

  /** Passes a message on to the process that it is meant for. */
  async function passOn(session: LiveSession, stray: Stray): Promise<void> {
    if (!passOnRate.take(session.context.caller.tokenId)) return;
    const sent = await messages.send(session, stray);
    if (!sent || stray.kind !== 'answer') return;
    lateAnswers.watch(session, sent);
  }

  /** After notices may have been missed. @param tells whether clients are told what may have changed */
  async function readAgain(tells: boolean): Promise<void> {
    const known = [...memory.all()];
    try {
      const levels = await store.readLogLevels(known.map(({ hash }) => hash));
      for (const session of known) {
        if (levels.has(session.hash)) session.context.logLevel = levels.get(session.hash);
        else if (!session.isRetired) memory.end(session);
      }
      for (const waiting of await messages.waiting(known.map(({ hash }) => hash))) await deliver(waiting);
      for (const session of known) if (session.transport.hasOwnStream) await followSubscriptions(session, tells);
    } catch (error) {
      log.warn({ err: error }, 'the sessions could not be read again');
    }
  }

  /** Ends a session in all processes. */
  async function endEverywhere(session: LiveSession): Promise<void> {
    memory.end(session);
    await store.remove(session.hash);
    await notices.tell({ kind: 'ended', session: session.hash });
  }

  async function create(id: string, of: RequestContext): Promise<LiveSession> {
    const hash = hashOfSession(id);
    const context: RequestContext = {
      ...of,
      // the session outlives the request that opens it
      request: undefined,
      async saveLogLevel(level) {
        await store.setLogLevel(hash, level);
        await notices.tell({ kind: 'log-level', session: hash, level });
      },
    };
    return createLiveSession({
      id,
      context,
      build: options.build,
      subscriptions: { resources: options.subscriptions, stored: storedSubscriptions, tellChanged },
      time,
      onInitialized: memory.add,
      onClosed: endEverywhere,
      onUnheard(session, message) {
        passOn(session, { kind: 'notice', target: undefined, message }).catch((error: unknown) => {
          log.debug({ err: error }, 'a notice could not be passed on');
        });
      },
    });
  }

  /** Takes up a session that another process had in memory, or this one before. */
  const restore = (id: string, context: RequestContext) =>
    memory.restoreOnce(id, context, async (hash) => {
      const stored = await store.takeUp(hash, context);
      if (!stored) return undefined;
      const session = await create(id, context);
      session.context.logLevel = stored.logLevel;
      await session.transport.restore(stored);
      return session;
    });

  async function open(
    request: IncomingMessage,
    response: ServerResponse,
    extra: RequestExtra,
    body: unknown,
    initialized: Initialized,
  ): Promise<void> {
    const session = await create(ids.uuid(), extra.context);
    // before the answer: the client's next request may reach another process
    const ended = await store.add(session.hash, session.context, initialized);
    for (const hash of ended) {
      memory.endHash(hash);
      await notices.tell({ kind: 'ended', session: hash });
    }
    await session.transport.serve(withExtra(request, extra), response, body, undefined);
    if (memory.get(session.id)) return;
    // the request was refused, so there is no session
    await session.server.close();
    await store.remove(session.hash);
  }

  /** The session that a request names, if it may be used by this token on this link. */
  async function find(id: string, { context, underWay }: RequestExtra): Promise<LiveSession | undefined> {
    const session = memory.get(id) ?? (await restore(id, context));
    if (!session || !sameOwner(session.context, context)) return undefined;
    return session.isRetired && !underWay ? undefined : session;
  }

  async function serve(
    session: LiveSession,
    request: IncomingMessage,
    response: ServerResponse,
    extra: RequestExtra,
    body: unknown,
  ): Promise<void> {
    session.usedAtMs = time.now();
    // the token may have been renewed: its current scopes apply
    session.context.caller = extra.context.caller;
    if (extra.context.request) extra.context.request.program = session.calls.program;
    session.calls.handle(body);
    const strays = request.method === 'POST' ? session.transport.strays(body) : [];
    for (const stray of strays) await passOn(session, stray);
    if (request.method === 'GET') {
      session.openStreams++;
      response.once('close', () => {
        session.openStreams--;
        session.usedAtMs = time.now();
      });
    }
    const revision = session.server.server.getNegotiatedProtocolVersion();
    const listening = (requestId: RequestId) => session.transport.streams.listening(requestId);
    const served = session.transport.serve(withExtra(request, { ...extra, listening }), response, body, revision);
    if (request.method === 'GET' && session.transport.hasOwnStream) follow(session, true);
    return served;
  }

  function endStreams(): void {
    for (const { transport } of memory.all()) transport.closeStandaloneSSEStream();
  }

  const sweep = setInterval(() => {
    memory.sweep().catch((error: unknown) => log.warn({ err: error }, 'the use of sessions could not be stored'));
  }, sweepIntervalMs);
  sweep.unref();

  return {
    async handle(request, response, extra, body) {
      const id = request.headers['mcp-session-id'];
      const opens = request.method === 'POST' && isInitializeRequest(body);
      if (typeof id === 'string') {
        const session = await find(id, extra);
        if (session) return serve(session, request, response, extra, body);
        if (!opens) return sendJsonRpcError(response, 404, -32001, 'Session not found', body);
      }
      if (request.method !== 'POST') {
        response.setHeader('allow', 'POST');
        return sendJsonRpcError(response, 405, -32000, 'Method not allowed: open a session first', body);
      }
      // initialize is never part of a batch (2025-03-26, basic/lifecycle), so a batch cannot open a session
      if (Array.isArray(body)) {
        return sendJsonRpcError(response, 400, -32600, 'Invalid Request: a batch is part of a session of 2025-03-26');
      }
      // a client may send one before it has read the id of the session that it opens
      if (isNotice(body)) return void response.writeHead(202).end();
      if (!opens) {
        return sendJsonRpcError(response, 400, -32000, 'Bad Request: Mcp-Session-Id is required', body);
      }
      const initialized = readInitialize(body);
      if ('problem' in initialized) return sendJsonRpcError(response, 400, -32602, initialized.problem, body);
      return open(request, response, extra, body, initialized);
    },

    enterCall(id, context) {
      const session = typeof id === 'string' ? memory.get(id) : undefined;
      if (!session || session.isRetired || !sameOwner(session.context, context)) return undefined;
      // only calls through the SDK pass the log level to the server
      if (session.context.logLevel !== undefined) return undefined;
      session.usedAtMs = time.now();
      session.context.caller = context.caller;
      return session.calls;
    },

    endForToken(tokenId) {
      if (tokenId === undefined) return endStreams();
      memory.retireOfToken(tokenId);
      store.removeOfToken(tokenId).catch((error: unknown) => {
        // nothing can use them, and they expire
        log.warn({ err: error }, 'the sessions of a revoked token could not be removed');
      });
    },

    endStreams,

    notifyListChanged(changes) {
      for (const { server, context, isRetired } of memory.all()) {
        const changed = isRetired ? [] : changes?.(context);
        const has = (kind: ListKind) => changed?.includes(kind) ?? true;
        const { prompts, resources } = server.server.getCapabilities();
        if (has('tools')) server.sendToolListChanged();
        // only announce changes of lists that the session knows
        if (prompts && has('prompts')) server.sendPromptListChanged();
        if (resources && has('resources')) server.sendResourceListChanged();
      }
    },

    async removeExpired() {
      await store.removeExpired();
      await messages.removeExpired();
    },

    get size() {
      return memory.size;
    },

    async stop() {
      clearInterval(sweep);
      lateAnswers.stop();
      await notices.stop();
      await memory.stop();
    },
  };
}

function isNotice(body: unknown): boolean {
  const { method, id } = asRecord(body) ?? {};
  return typeof method === 'string' && id === undefined;
}

function sameOwner(a: RequestContext, b: RequestContext): boolean {
  return a.caller.userId === b.caller.userId && a.caller.tokenId === b.caller.tokenId && a.serverId === b.serverId;
}
