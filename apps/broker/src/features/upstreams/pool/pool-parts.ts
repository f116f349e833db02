import type { NoticeLimits } from '#adapters/mcp/notices/notice-limits.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { Supervisor } from '../processes/supervisor.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import type { ConnectionSet } from './connection-set.ts';
import type { TargetOptions } from './upstream-target.ts';

export type PoolEvents = {
  /** Called when a server announces that a list changed. `userId` is set when the connection is one user's. */
  onListChanged(serverId: string, userId: string | undefined): void;
  /** Called when a user's own connection was opened. */
  onOpened?(serverId: string, userId: string): void;
  /** Called when a connection ended that this broker did not close. `shared`: all users shared it. */
  onLost(serverId: string, reason: string, shared: boolean): void;
};

export type PoolOptions = TargetOptions & {
  clock: Clock;
  log: Log;
  events: PoolEvents;
  /** Defaults are in connection-limits.ts. */
  maxConnections: Pick<ConnectionLimits, 'all'> & Partial<ConnectionLimits>;
};

export type PoolParts = PoolOptions & {
  connections: ConnectionSet;
  supervisor: Supervisor;
  notices: NoticeLimits;
  /** Elapsed time. */
  time: Clock;
  /** Aborts the handshakes under way when the pool stops. */
  stopping: AbortSignal;
};
