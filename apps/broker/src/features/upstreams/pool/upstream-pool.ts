import { elapsedTime } from '#platform/clock.ts';
import type { LiveBrokers } from '#platform/db/share-of.ts';
import type { UnreadAnswers } from '#platform/http/connections/unread-answers.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { createAdmissions, type AdmissionLimits, type Admissions } from '../admission/admissions.ts';
import type { RunningProgram } from '../processes/list-children.ts';
import { connectionKey, isProgram, type UpstreamNeeds } from './connection-key.ts';
import { createLiveConnections, type Lease, type LiveConnectionOptions } from './live-connections.ts';
import { flawOf } from './open-connection.ts';
import { systemTimers, type Timers } from './timers.ts';

const sweepIntervalMs = 30_000;

/** Upstream connections: one for everyone, or one for each person where the server keeps state. */
export type UpstreamPool = Pick<Admissions, 'admit' | 'admitNow' | 'inFlight' | 'answeredCheck' | 'failedCheck'> & {
  /**
   * A connection for this person (undefined: for discovery and health), opened on first use and given at once when it is
   * open. Release it when the call is over.
   * @throws UpstreamError (rejects)
   */
  acquire(server: CatalogueServer, userId: string | undefined, needs?: UpstreamNeeds): Lease | Promise<Lease>;
  /** Closes the connection that acquire would answer: it no longer works. */
  drop(server: CatalogueServer, userId: string | undefined, needs?: UpstreamNeeds): Promise<void>;
  /** Tells the servers that know of this person's client that its roots changed. */
  announceRoots(userId: string): Promise<void>;
  /** What a person has at a server has changed: their connections take no new call, and end when no call is under way. */
  retire(serverId: string, userId: string): void;
  /** The same for all connections to a server that was taken out of the catalogue. */
  retireServer(serverId: string): void;
  /**
   * What is sent to a server has changed: calls that begin from now on get new connections, those under way end on the old
   * ones. A program starts again when the calls on it have ended.
   */
  replaceServer(serverId: string): void;
  /** The same for the shared connection: the next call opens another. */
  retireShared(server: CatalogueServer): void;
  /** The server's circuit becomes half-open, and crashes of its programs are forgotten: its next call may try. */
  retryNow(serverId: string): void;
  /** Whether everyone's calls to a server fail at once, because it failed each of the last ones. */
  isCircuitOpen(serverId: string): boolean;
  /** The state of that circuit. */
  circuitOf(serverId: string): 'closed' | 'open' | 'half-open';
  /** For the operator: what all servers together hold. */
  figures(): { connections: number; callsInFlight: number; callsWaiting: number };
  /** Closes the connections of all users to a server whose address has changed. */
  dropAll(serverId: string): Promise<void>;
  /** Closes every connection of a person whose account is deleted. */
  dropPerson(userId: string): Promise<void>;
  /** Closes what was idle for five minutes. Happens by itself every half minute. */
  closeIdle(): void;
  /** Pids of the stdio servers that run, for limits and tests. */
  stdioPids(serverId?: string): number[];
  /** The programs of a server that run. */
  programsOf(serverId: string): RunningProgram[];
  stop(): Promise<void>;
};

export function createUpstreamPool(
  options: Omit<LiveConnectionOptions, 'timers'> & {
    limits: AdmissionLimits;
    timers?: Timers;
    unread?: Pick<UnreadAnswers, 'answersOf' | 'onRead'> | undefined;
    brokers?: Pick<LiveBrokers, 'count'>;
  },
): UpstreamPool {
  const { timers = systemTimers } = options;
  const time = elapsedTime(options.clock);
  const admissions = createAdmissions({
    limits: options.limits,
    unread: options.unread,
    brokers: options.brokers,
    clock: time,
    timers,
  });
  const connections = createLiveConnections({ ...options, timers });
  let stopped = false;

  const sweep = setInterval(connections.closeIdle, sweepIntervalMs);
  sweep.unref();

  return {
    admit: admissions.admit,
    admitNow: admissions.admitNow,
    inFlight: admissions.inFlight,
    answeredCheck: admissions.answeredCheck,
    failedCheck: admissions.failedCheck,
    isCircuitOpen: (serverId) => (admissions.openUntilMs(serverId) ?? 0) > time.now(),
    circuitOf(serverId) {
      const untilMs = admissions.openUntilMs(serverId);
      if (untilMs === undefined) return 'closed';
      return untilMs > time.now() ? 'open' : 'half-open';
    },
    figures: () => ({ connections: connections.where(() => true).length, ...admissions.figures() }),
    retryNow(serverId) {
      connections.resetCrashes(serverId);
      admissions.retryNow(serverId);
    },

    acquire(server, userId, needs) {
      if (stopped) return Promise.reject(new UpstreamError('closed', 'the broker is stopping'));
      const wanted = connectionKey(server, userId, needs);
      const entry = connections.find(wanted.key);
      const isLasting = needs?.own;
      if (!entry) return connections.lease(connections.open(wanted, server, userId), isLasting);
      const flaw = flawOf(entry, server, wanted);
      if (flaw === undefined) return connections.lease(entry, isLasting);
      // Of a program there is only one: the next starts when it has ended.
      if (flaw === 'other-era' || (flaw === 'moved' && !isProgram(entry.server))) connections.retire(entry);
      else void connections.close(entry);
      // a program is told what it must know to ask the clients it knows of and this one
      const kinds = flaw === 'told-too-little' ? entry.told | wanted.kinds : wanted.kinds;
      return connections.lease(connections.open({ ...wanted, kinds }, server, userId), isLasting);
    },

    async drop(server, userId, needs) {
      const entry = connections.find(connectionKey(server, userId, needs).key);
      if (entry) await connections.close(entry);
    },

    retire(serverId, userId) {
      connections
        .where((entry) => entry.server.id === serverId && entry.userId === userId)
        .forEach((entry) => connections.retire(entry));
    },

    retireServer(serverId) {
      connections.where((entry) => entry.server.id === serverId).forEach((entry) => connections.retire(entry));
    },

    replaceServer(serverId) {
      connections.allOf(serverId).forEach(connections.replace);
    },

    retireShared(server) {
      const entry = connections.find(connectionKey(server, undefined).key);
      if (entry) connections.retire(entry);
    },

    async dropAll(serverId) {
      await Promise.all(connections.allOf(serverId).map(connections.close));
    },

    async dropPerson(userId) {
      await Promise.all(connections.where((entry) => entry.userId === userId).map(connections.close));
    },

    async announceRoots(userId) {
      const own = connections.where((entry) => entry.userId === userId);
      await Promise.all(own.map((entry) => entry.upstream?.announceRoots()));
    },

    closeIdle: connections.closeIdle,

    stdioPids: (serverId) =>
      connections
        .where((entry) => serverId === undefined || entry.server.id === serverId)
        .flatMap(({ upstream }) => upstream?.pid ?? []),

    programsOf: (serverId) =>
      connections
        .where((entry) => entry.server.id === serverId)
        .flatMap(({ upstream, userId, openedAtMs }) => {
          if (upstream?.pid === undefined) return [];
          const startedAtMs = options.clock.now() - (time.now() - openedAtMs);
          return [
            { pid: upstream.pid, use: userId === undefined ? ('shared' as const) : ('person' as const), startedAtMs },
          ];
        }),

    async stop() {
      stopped = true;
      clearInterval(sweep);
      admissions.stop();
      await connections.stop();
    },
  };
}
