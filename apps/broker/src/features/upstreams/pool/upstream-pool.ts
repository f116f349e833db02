import { setMaxListeners } from 'node:events';
import { NoticeLimits } from '#adapters/mcp/notices/notice-limits.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { elapsedTime } from '#platform/clock.ts';
import type { LiveBrokers } from '#platform/db/share-of.ts';
import type { UnreadAnswers } from '#platform/http/connections/unread-answers.ts';
import { createAdmissions, type AdmissionLimits, type Admissions } from '../admission/admissions.ts';
import type { RunningProgram } from '../processes/list-children.ts';
import { createSupervisor } from '../processes/supervisor.ts';
import { connectionKey, isProgram, type UpstreamNeeds } from './connection-key.ts';
import { longestIdle } from './connection-limits.ts';
import { ConnectionSet } from './connection-set.ts';
import { flawOf, type OpenConnection } from './open-connection.ts';
import type { PoolOptions, PoolParts } from './pool-parts.ts';
import { startOpening } from './start-opening.ts';
import { systemTimers, type Timers } from './timers.ts';
import { beginUse, type ConnectionUse } from './use-connection.ts';

const sweepIntervalMs = 30_000;
const idleCloseMs = 5 * 60_000;

/** The upstream connections: one for everyone, or one per user where the server keeps state. */
export type UpstreamPool = Pick<Admissions, 'admit' | 'admitNow' | 'inFlight' | 'answeredCheck' | 'failedCheck'> & {
  /**
   * Begins a use of a connection for this user (undefined: for discovery and health checks), and opens the connection
   * if necessary. Returns no promise if it is open. Release the use when the call is over.
   * @throws UpstreamError (rejects)
   */
  acquire(
    server: CatalogueServer,
    userId: string | undefined,
    needs?: UpstreamNeeds,
  ): ConnectionUse | Promise<ConnectionUse>;
  /** Closes the connection that `acquire` would use, because it no longer works. */
  drop(server: CatalogueServer, userId: string | undefined, needs?: UpstreamNeeds): Promise<void>;
  /** Notifies the servers connected for this user that the roots of the user's client changed. */
  announceRoots(userId: string): Promise<void>;
  /**
   * Retires a user's connections to a server, where their account changed: they take no new calls, and close when their
   * calls have ended.
   */
  retire(serverId: string, userId: string): void;
  /** Retires all connections to a server that was removed from the catalogue. */
  retireServer(serverId: string): void;
  /**
   * Replaces the connections to a server, for example because its secrets changed: new calls get new connections, and
   * calls under way finish on the old ones. A program restarts when its calls have ended.
   */
  replaceServer(serverId: string): void;
  /** Retires the shared connection: the next call opens another. */
  retireShared(server: CatalogueServer): void;
  /** Makes the server's circuit half-open and forgets crashes of its programs, so that the next call is tried. */
  retryNow(serverId: string): void;
  /** Whether the server's circuit for all users is open, so that calls fail immediately. */
  isCircuitOpen(serverId: string): boolean;
  circuitOf(serverId: string): 'closed' | 'open' | 'half-open';
  /** Totals over all servers, for the operator. */
  figures(): { connections: number; callsInFlight: number; callsWaiting: number };
  /** Closes all connections to a server immediately, with the calls on them. */
  dropAll(serverId: string): Promise<void>;
  /** Closes every connection of a user whose account is deleted. */
  dropPerson(userId: string): Promise<void>;
  /** Closes connections that were idle for five minutes. The pool calls it every 30 s. */
  closeIdle(): void;
  /** Pids of the running stdio servers, for limits and tests. */
  stdioPids(serverId?: string): number[];
  programsOf(serverId: string): RunningProgram[];
  stop(): Promise<void>;
};

export function createUpstreamPool(
  options: PoolOptions & {
    limits: AdmissionLimits;
    timers?: Timers;
    unread?: Pick<UnreadAnswers, 'answersOf' | 'onRead'> | undefined;
    brokers?: Pick<LiveBrokers, 'count'>;
  },
): UpstreamPool {
  const { timers = systemTimers, clock, log } = options;
  const time = elapsedTime(clock);
  const admissions = createAdmissions({ ...options, clock: time, timers });
  const connections = new ConnectionSet();
  const supervisor = createSupervisor({ clock: time, timers, log, evictIdle });
  const stopping = new AbortController();
  // each handshake adds a listener
  setMaxListeners(0, stopping.signal);
  const notices = new NoticeLimits();
  const parts: PoolParts = { ...options, connections, supervisor, notices, time, stopping: stopping.signal };

  /** Ends the program that has been idle longest, to make room for another. */
  function evictIdle(): void {
    const longest = longestIdle(
      connections.where(({ server, upstream }) => isProgram(server) && upstream !== undefined),
    );
    if (longest) void connections.close(longest);
  }

  function closeIdle(): void {
    const oldest = time.now() - idleCloseMs;
    connections
      .where(({ inFlight, usedAtMs }) => inFlight === 0 && usedAtMs < oldest)
      .forEach((entry) => void connections.close(entry));
    supervisor.tidy();
  }

  function circuitOf(serverId: string): 'closed' | 'open' | 'half-open' {
    const untilMs = admissions.openUntilMs(serverId);
    if (untilMs === undefined) return 'closed';
    return untilMs > time.now() ? 'open' : 'half-open';
  }

  async function closeEach(entries: readonly OpenConnection[]): Promise<void> {
    await Promise.all(entries.map((entry) => connections.close(entry)));
  }

  const sweep = setInterval(closeIdle, sweepIntervalMs).unref();

  return {
    ...admissions,
    isCircuitOpen: (serverId) => circuitOf(serverId) === 'open',
    circuitOf,
    figures: () => ({ connections: connections.where(() => true).length, ...admissions.figures() }),
    retryNow(serverId) {
      supervisor.reset(serverId);
      admissions.retryNow(serverId);
    },
    acquire: (server, userId, needs) => acquire(server, userId, needs, parts),
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
      connections.where(({ server }) => server.id === serverId).forEach((entry) => connections.retire(entry));
    },
    replaceServer(serverId) {
      connections.allOf(serverId).forEach((entry) => connections.replace(entry));
    },
    retireShared(server) {
      const entry = connections.find(connectionKey(server, undefined).key);
      if (entry) connections.retire(entry);
    },
    dropAll: (serverId) => closeEach(connections.allOf(serverId)),
    dropPerson: (userId) => closeEach(connections.where((entry) => entry.userId === userId)),
    async announceRoots(userId) {
      const own = connections.where((entry) => entry.userId === userId);
      await Promise.all(own.map((entry) => entry.upstream?.announceRoots()));
    },
    closeIdle,
    stdioPids: (serverId) =>
      connections
        .where(({ server }) => serverId === undefined || server.id === serverId)
        .flatMap(({ upstream }) => upstream?.pid ?? []),
    programsOf: (serverId) =>
      connections.where(({ server }) => server.id === serverId).flatMap((entry) => runningProgram(entry, parts)),
    async stop() {
      clearInterval(sweep);
      admissions.stop();
      stopping.abort();
      supervisor.stop();
      await connections.closeAll();
    },
  };
}

function acquire(
  server: CatalogueServer,
  userId: string | undefined,
  needs: UpstreamNeeds | undefined,
  parts: PoolParts,
): ConnectionUse | Promise<ConnectionUse> {
  const { connections } = parts;
  if (parts.stopping.aborted) return Promise.reject(new UpstreamError('closed', 'the broker is stopping'));
  const wanted = connectionKey(server, userId, needs);
  const entry = connections.find(wanted.key);
  const isLasting = needs?.own;
  if (!entry) return beginUse(startOpening(wanted, server, userId, parts), isLasting, parts);
  const flaw = flawOf(entry, server, wanted);
  if (flaw === undefined) return beginUse(entry, isLasting, parts);
  // There is only one process of a program: the next one starts when it has ended.
  if (flaw === 'other-era' || (flaw === 'moved' && !isProgram(entry.server))) connections.retire(entry);
  else void connections.close(entry);
  // a program must be able to ask this client and those that it already knows
  const kinds = flaw === 'lacks-capabilities' ? entry.declared | wanted.kinds : wanted.kinds;
  return beginUse(startOpening({ ...wanted, kinds }, server, userId, parts), isLasting, parts);
}

function runningProgram(
  { upstream, userId, openedAtMs }: OpenConnection,
  { clock, time }: PoolParts,
): RunningProgram[] {
  if (upstream?.pid === undefined) return [];
  const startedAtMs = clock.now() - (time.now() - openedAtMs);
  return [{ pid: upstream.pid, use: userId === undefined ? 'shared' : 'person', startedAtMs }];
}
