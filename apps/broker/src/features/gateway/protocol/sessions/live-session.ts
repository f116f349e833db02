import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import type { SessionCalls } from '../../fast-path/session-calls.ts';
import type { RequestContext } from '../../view/request-context.ts';
import type { SessionSubscriptions } from '../subscriptions/session-subscriptions.ts';
import type { SessionEvents } from './event-store.ts';
import type { SessionTransport } from './session-transport.ts';

/** A session in the memory of this process. Other processes may have it in memory as well. */
export type LiveSession = {
  readonly id: string;
  readonly hash: string;
  readonly transport: SessionTransport;
  readonly server: McpServer;
  readonly context: RequestContext;
  readonly calls: SessionCalls;
  readonly events: SessionEvents;
  readonly subscriptions: SessionSubscriptions;
  /** Elapsed time of the last use, and of the last use that the row has. */
  usedAtMs: number;
  storedAtMs: number;
  openStreams: number;
  /** Whether its token was revoked: running calls finish, nothing else is served. */
  isRetired: boolean;
};

/** Whether the client waits for something on this session. */
export function isBusy({ openStreams, transport }: LiveSession): boolean {
  return openStreams > 0 || transport.openCount > 0;
}

/** Watches those of the session's resources that this process has to watch (session-subscriptions.ts). */
export function followSubscriptions({ subscriptions, transport }: LiveSession, mayHaveChanged: boolean): Promise<void> {
  return subscriptions.follow({ isHeard: transport.hasOwnStream, mayHaveChanged });
}

/** The notices that announce changes of every list that the session knows. */
export function noticesOfChange({ server }: McpServer): JSONRPCMessage[] {
  const { prompts, resources } = server.getCapabilities();
  const lists = ['tools', ...(prompts ? ['prompts'] : []), ...(resources ? ['resources'] : [])];
  return lists.map((list) => ({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }));
}
