import { type JSONRPCMessage, type McpServer } from '@modelcontextprotocol/server';
import type { Clock } from '#platform/clock.ts';
import { createSessionCalls, type SessionCalls } from '../../fast-path/session-calls.ts';
import type { RequestContext } from '../../view/request-context.ts';
import { withFormMode } from '../forward-request.ts';
import {
  serveSubscriptions,
  type SessionSubscriptions,
  type SubscriptionParts,
} from '../subscriptions/session-subscriptions.ts';
import { createSessionEvents, type SessionEvents } from './event-store.ts';
import { hashOfSession } from './session-store.ts';
import { SessionTransport } from './session-transport.ts';

/** How soon a client should resume a broken stream. */
const retryMs = 1000;

/** A session in the memory of this process. Its row may be in the memory of others as well. */
export type LiveSession = {
  readonly id: string;
  readonly hash: string;
  readonly transport: SessionTransport;
  readonly server: McpServer;
  readonly context: RequestContext;
  readonly calls: SessionCalls;
  readonly events: SessionEvents;
  readonly subscriptions: SessionSubscriptions;
  /** Elapsed time of the last use, and of the last one that the row knows of. */
  usedAtMs: number;
  storedAtMs: number;
  /** Open GET requests. */
  openStreams: number;
  /** Its token was revoked: running calls finish, nothing else is served. */
  isRetired: boolean;
};

/**
 * Makes a session with a server object of its own, which has not been initialized yet.
 * @param onInitialized is called when it has been, with the session
 * @param onClosed is called when the client ends the session
 * @param onUnheard is called with a notice of a resource while the session's own stream is not open here
 */
export async function createLiveSession(options: {
  id: string;
  context: RequestContext;
  build(context: RequestContext): McpServer;
  subscriptions: SubscriptionParts;
  time: Clock;
  onInitialized(session: LiveSession): void;
  onClosed(session: LiveSession): Promise<void>;
  onUnheard(session: LiveSession, notice: JSONRPCMessage): void;
}): Promise<LiveSession> {
  const { id, context, time } = options;
  const server = options.build(context);
  const events = createSessionEvents(
    time,
    (stream, isFirst) => transport.streams.named(stream, isFirst),
    () => noticesOfChange(server),
  );
  const transport: SessionTransport = new SessionTransport(events, {
    retryInterval: retryMs,
    sessionIdGenerator: () => id,
    onsessioninitialized: () => options.onInitialized(session),
    onsessionclosed: () => options.onClosed(session),
  });
  const hash = hashOfSession(id);
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
    subscriptions: serveSubscriptions(server.server, hash, context, options.subscriptions),
    usedAtMs: time.now(),
    storedAtMs: time.now(),
    openStreams: 0,
    isRetired: false,
  };
  transport.onUnheard = (notice) => options.onUnheard(session, notice);
  await server.connect(transport);
  return session;
}

/** Whether a client waits for something on this session. */
export function isBusy({ openStreams, transport }: LiveSession): boolean {
  return openStreams > 0 || transport.openCount > 0;
}

/** Watches what the session subscribed to, as far as this is for this process to do (session-subscriptions.ts). */
export function followSubscriptions({ subscriptions, transport }: LiveSession, mayHaveChanged: boolean): Promise<void> {
  return subscriptions.follow({ isHeard: transport.hasOwnStream, mayHaveChanged });
}

/** What announces changes of the lists that the session knows. */
export function noticesOfChange({ server }: McpServer): JSONRPCMessage[] {
  const { prompts, resources } = server.getCapabilities();
  const lists = ['tools', ...(prompts ? ['prompts'] : []), ...(resources ? ['resources'] : [])];
  return lists.map((list) => ({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }));
}
