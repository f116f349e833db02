import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { Background } from '#platform/work/background.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import type { Services } from '../processes/run-services.ts';
import type { StdioPrograms } from '../processes/stdio-programs.ts';
import type { AskedServers } from './ask-servers.ts';
import type { TurnLimits } from './ask-turns.ts';
import type { CheckTimes } from './check-times.ts';
import type { WatchedServer } from './watched-server.ts';

export type WatchOptions = {
  catalogue: Catalogue;
  pool: UpstreamPool;
  programs: Pick<StdioPrograms, 'isReady' | 'prepare'>;
  services: Services;
  /** Interval of the checks of a server in use, and of every server if there are few. */
  intervalMs: number;
  restartDelayMs: number;
  /** Whether a user called the server within a day. */
  isUsed: (serverId: string) => boolean;
  maxConnections: number;
  askTurns: TurnLimits | undefined;
  /** Removes a server's secrets from a text about it. */
  hide(serverId: string, text: string): string;
  clock: Clock;
  log: Log;
};

/** State and services that the parts of the watch share. */
export type WatchParts = WatchOptions & {
  asked: AskedServers;
  watchedById: Map<string, WatchedServer>;
  checkTimes: CheckTimes;
  background: Background;
  /** Elapsed time. */
  time: Clock;
  find(serverId: string): CatalogueServer | undefined;
  state: {
    /** The stop has begun: connections that end are not reported. */
    isStopping: boolean;
    /** The catalogue is no longer followed. */
    isStopped: boolean;
  };
};
