import type { McpServer } from '@modelcontextprotocol/server';
import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { RequestContext } from '../../view/request-context.ts';
import type { ResourceSubscriptions } from '../subscriptions/resource-subscriptions.ts';
import type { OtherProcesses } from './other-processes.ts';
import type { SessionMail } from './session-mail.ts';
import type { SessionMemory } from './session-memory.ts';
import type { SessionNotices } from './session-notices.ts';
import type { SessionStore } from './session-store.ts';
import type { StoredSubscriptions } from './stored-subscriptions.ts';

export type SessionParts = {
  build(context: RequestContext): McpServer;
  subscriptions: ResourceSubscriptions;
  stored: StoredSubscriptions;
  store: SessionStore;
  memory: SessionMemory;
  mail: SessionMail;
  others: OtherProcesses;
  notices: SessionNotices;
  /** Elapsed time. */
  time: Clock;
  ids: Ids;
  log: Log;
};
