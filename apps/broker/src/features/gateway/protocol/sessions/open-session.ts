import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSessionCalls } from '../../fast-path/session-calls.ts';
import type { RequestContext } from '../../view/request-context.ts';
import { withFormMode } from '../forward-request.ts';
import { withExtra, type RequestExtra } from '../request-extra.ts';
import { serveSubscriptions } from '../subscriptions/session-subscriptions.ts';
import { createSessionEvents } from './event-store.ts';
import { noticesOfChange, type LiveSession } from './live-session.ts';
import type { SessionParts } from './session-parts.ts';
import { hashOfSession, type Initialized } from './session-store.ts';
import { SessionTransport } from './session-transport.ts';

/** How soon a client should resume a broken stream. */
const retryMs = 1000;

export async function openSession(
  request: IncomingMessage,
  response: ServerResponse,
  extra: RequestExtra,
  body: unknown,
  initialized: Initialized,
  parts: SessionParts,
): Promise<void> {
  const { store, memory, notices } = parts;
  const session = await createSession(parts.ids.uuid(), extra.context, parts);
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

/** Restores a session that is or was in the memory of another process, or was in the memory of this one. */
export function restoreSession(id: string, context: RequestContext, parts: SessionParts) {
  return parts.memory.restoreOnce(id, context, async (hash) => {
    const stored = await parts.store.takeUp(hash, context);
    if (!stored) return undefined;
    const session = await createSession(id, context, parts);
    session.context.logLevel = stored.logLevel;
    await session.transport.restore(stored);
    return session;
  });
}

/** Creates a session with its own server object, which is not initialized yet. */
async function createSession(id: string, of: RequestContext, parts: SessionParts): Promise<LiveSession> {
  const { store, memory, mail, notices, time, log } = parts;
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
  const server = parts.build(context);
  const events = createSessionEvents(
    time,
    (stream, isFirst) => transport.streams.named(stream, isFirst),
    () => noticesOfChange(server),
  );
  const transport: SessionTransport = new SessionTransport(events, {
    retryInterval: retryMs,
    sessionIdGenerator: () => id,
    onsessioninitialized: () => memory.add(session),
    onsessionclosed: () => endEverywhere(session, parts),
  });
  const session: LiveSession = {
    id,
    hash,
    transport,
    server,
    context,
    calls: createSessionCalls(id, transport, {
      capabilities: () => withFormMode(server.server.getClientCapabilities()),
      program: () => server.server.getClientVersion()?.name,
    }),
    events,
    subscriptions: serveSubscriptions(server.server, hash, context, {
      resources: parts.subscriptions,
      stored: parts.stored,
      tellChanged: (changed) => notices.tell({ kind: 'subscriptions', session: changed }),
    }),
    usedAtMs: time.now(),
    storedAtMs: time.now(),
    openStreams: 0,
    isRetired: false,
  };
  transport.onUnheard = (message) => {
    mail.passOn(session, { kind: 'notice', target: undefined, message }).catch((error: unknown) => {
      log.debug({ err: error }, 'a notice could not be passed on');
    });
  };
  await server.connect(transport);
  return session;
}

async function endEverywhere(session: LiveSession, { store, memory, notices }: SessionParts): Promise<void> {
  memory.end(session);
  await store.remove(session.hash);
  await notices.tell({ kind: 'ended', session: session.hash });
}
