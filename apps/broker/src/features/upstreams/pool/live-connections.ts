import { setMaxListeners } from 'node:events';
import { NoticeLimits } from '#adapters/mcp/notices/notice-limits.ts';
import type { Upstream } from '#adapters/mcp/upstream.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { createSupervisor } from '../processes/supervisor.ts';
import { isProgram, type ConnectionKey } from './connection-key.ts';
import { makeRoom, type ConnectionLimits } from './connection-limits.ts';
import { isEraStale, type OpenConnection } from './open-connection.ts';
import { openServer } from './open-server.ts';
import { ownService } from './own-service.ts';
import { capabilitiesFor } from './question-kinds.ts';
import type { Timers } from './timers.ts';
import { isPerUser, upstreamTarget, type TargetOptions } from './upstream-target.ts';

/** Gateway.md, Lifetimes and limits. */
const idleCloseMs = 5 * 60_000;

export type PoolEvents = {
  /** A list of the server changed (its own notice). `userId` when the connection is one person's. */
  onListChanged(serverId: string, userId: string | undefined): void;
  /** A person's own connection was opened. */
  onOpened?(serverId: string, userId: string): void;
  /** A connection ended that we had not closed. `shared` when it served everyone. */
  onLost(serverId: string, reason: string, shared: boolean): void;
};

export type Lease = {
  upstream: Upstream;
  release(): void;
  /** This connection no longer works: it takes no new use, and ends with the calls on it. The next use gets another one. */
  drop(): void;
};

/** The upstream connections that are open, opening or ending, one for each key. */
export type LiveConnections = {
  find(key: string): OpenConnection | undefined;
  where(test: (entry: OpenConnection) => boolean): OpenConnection[];
  /**
   * Begins to open a connection, which takes the place of the key's last one. `userId`: for whom.
   * @throws UpstreamError busy with every connection in use
   */
  open(key: ConnectionKey, server: CatalogueServer, userId: string | undefined): OpenConnection;
  /**
   * One more use of a connection: at once when it is open. @param isLasting it lasts as long as a client wants
   * @throws UpstreamError (rejects)
   */
  lease(entry: OpenConnection, isLasting?: boolean): Lease | Promise<Lease>;
  /**
   * Takes no new call, and ends when none is under way: the calls on it did nothing wrong. A program that is leased again
   * before that goes on, since there is only one of it.
   */
  retire(entry: OpenConnection): void;
  /**
   * Takes no new use, and ends when no call is under way, whatever else is on it. The next program of its identity starts
   * when this one has ended.
   */
  replace(entry: OpenConnection): void;
  /** All connections to a server, also those that end with the calls on them. */
  allOf(serverId: string): OpenConnection[];
  /** Resolves when nothing of it is left: no socket and no process. */
  close(entry: OpenConnection): Promise<void>;
  closeIdle(): void;
  /** Forgets the crashes of this server's programs: they may be started again. */
  resetCrashes(serverId: string): void;
  stop(): Promise<void>;
};

export type LiveConnectionOptions = TargetOptions & {
  clock: Clock;
  timers: Timers;
  log: Log;
  events: PoolEvents;
  /** What is not given is as in connection-limits.ts. */
  maxConnections: Pick<ConnectionLimits, 'all'> & Partial<ConnectionLimits>;
};

export function createLiveConnections(options: LiveConnectionOptions): LiveConnections {
  const { clock, log, events, timers } = options;
  const entries = new Map<string, OpenConnection>();
  const notices = new NoticeLimits();
  const time = elapsedTime(clock);
  const supervisor = createSupervisor({ clock: time, timers, log, evictIdle });
  /** Replaced, with calls still under way. */
  const retired = new Set<OpenConnection>();
  /** Connections that are being closed: a stop waits for them, otherwise a process could outlive it. */
  const ending = new Map<OpenConnection, Promise<void>>();
  /** Resolve for those that wait for the end of a replaced program. */
  const replaced = new Map<OpenConnection, () => void>();
  let stopped = false;
  /** Ends the handshakes that are under way at a stop. */
  const stopping = new AbortController();
  // each of them listens
  setMaxListeners(0, stopping.signal);

  function open(wanted: ConnectionKey, server: CatalogueServer, userId: string | undefined): OpenConnection {
    const { key, kinds, ofOnePerson } = wanted;
    const clientCapabilities = capabilitiesFor(kinds);
    const era = server.era && !isEraStale(server, clock) ? server.era.verdict : undefined;
    const owner = ofOnePerson ? userId : undefined;
    const listChanged = () => events.onListChanged(server.id, owner);
    const identity = { serverId: server.id, userId: owner };
    const use = owner === undefined ? 'shared' : 'person';
    const heard = (...lines: string[]) => {
      const { connection } = server.manifest;
      if (connection.type === 'stdio') options.programs.heard(server.id, connection.command, use, lines);
    };
    const connect = async () => {
      // for some seconds after the broker's start it may still be starting: that is no failure
      const service = ownService(server)?.name;
      if (service !== undefined) await options.services.start(service);
      return openServer(server, upstreamTarget(server, isPerUser(server) ? userId : undefined, options), {
        ...(era && { era }),
        log,
        signal: stopping.signal,
        ofOnePerson,
        notices: notices.ofServer(server.id),
        ...(clientCapabilities && { clientCapabilities }),
        onToolListChanged: listChanged,
        onPromptListChanged: listChanged,
        onResourceListChanged: listChanged,
        onDiagnostics: (lines) => heard(...lines),
        onClosed: (why) => {
          const reason = why?.message ?? 'the connection was closed';
          heard(`(${reason})`);
          if (isProgram(server)) supervisor.ended(identity, why);
          void close(entry);
          events.onLost(server.id, reason, !ofOnePerson);
        },
      });
    };
    makeRoom([...entries.values(), ...retired], { server, userId: owner }, options.maxConnections).forEach(close);
    const entry: OpenConnection = {
      key,
      server,
      userId: owner,
      told: kinds,
      inFlight: 0,
      lasting: 0,
      openedAtMs: time.now(),
      usedAtMs: time.now(),
      isRetired: false,
      isReplaced: false,
      upstream: undefined,
      opening: isProgram(server)
        ? predecessorsEnded(key).then(() => supervisor.start(identity, connect))
        : Promise.resolve().then(connect),
    };
    entries.set(key, entry);
    entry.opening.then(
      (upstream) => {
        entry.upstream = upstream;
        if (owner !== undefined) events.onOpened?.(server.id, owner);
      },
      (error: unknown) => {
        heard(`(it did not start: ${error instanceof Error ? error.message : String(error)})`);
        forget(entry);
      },
    );
    return entry;
  }

  /** Two processes of one identity would write the same files: the next one starts when the last one has ended. */
  async function predecessorsEnded(key: string): Promise<void> {
    await Promise.all([...ending].map(([entry, end]) => entry.key === key && end));
    if (stopped) throw new UpstreamError('closed', 'the broker is stopping');
  }

  function forget(entry: OpenConnection): void {
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
  }

  function close(entry: OpenConnection): Promise<void> {
    forget(entry);
    retired.delete(entry);
    const end = entry.opening
      .then(
        (upstream) => upstream.close(),
        () => {},
      )
      .finally(() => {
        ending.delete(entry);
        replaced.get(entry)?.();
        replaced.delete(entry);
      });
    ending.set(entry, end);
    return end;
  }

  /** Gives back one use of a connection. Only the first call counts. */
  function releaseOf(entry: OpenConnection, isLasting: boolean): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      entry.inFlight--;
      if (isLasting) entry.lasting--;
      entry.usedAtMs = time.now();
      if (entry.inFlight === 0) supervisor.becameIdle();
      if (entry.isRetired && entry.inFlight === 0) void close(entry);
      else closeReplaced(entry);
    };
  }

  function closeReplaced(entry: OpenConnection): void {
    if (entry.isReplaced && entry.inFlight === entry.lasting) void close(entry);
  }

  function replace(entry: OpenConnection): void {
    if (retired.has(entry) && entry.isReplaced) return;
    entry.isReplaced = true;
    forget(entry);
    retired.add(entry);
    if (isProgram(entry.server)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      replaced.set(entry, resolve);
      ending.set(entry, promise);
    }
    closeReplaced(entry);
  }

  /** Ends the program that has been idle longest, to make room for another. */
  function evictIdle(): void {
    let longest: OpenConnection | undefined;
    for (const entry of entries.values()) {
      if (!isProgram(entry.server) || !entry.upstream || entry.inFlight > 0) continue;
      if (!longest || entry.usedAtMs < longest.usedAtMs) longest = entry;
    }
    if (longest) void close(longest);
  }

  return {
    find: (key) => entries.get(key),
    where: (test) => [...entries.values()].filter(test),
    open,
    close,

    lease(entry, isLasting = false) {
      entry.isRetired = false;
      entry.inFlight++;
      if (isLasting) entry.lasting++;
      const release = releaseOf(entry, isLasting);
      // of two calls that lost one session, the second must not end the connection that the first has opened since
      const drop = () => replace(entry);
      if (entry.upstream) return { upstream: entry.upstream, release, drop };
      return entry.opening.then(
        (upstream) => ({ upstream, release, drop }),
        (error: unknown) => {
          release();
          throw error;
        },
      );
    },

    retire(entry) {
      entry.isRetired = true;
      if (entry.inFlight === 0) return void close(entry);
      if (isProgram(entry.server)) return;
      forget(entry);
      retired.add(entry);
    },

    replace,

    allOf: (serverId) => [...entries.values(), ...retired].filter(({ server }) => server.id === serverId),

    closeIdle() {
      const oldest = time.now() - idleCloseMs;
      for (const entry of entries.values()) if (entry.inFlight === 0 && entry.usedAtMs < oldest) void close(entry);
      supervisor.tidy();
    },

    resetCrashes: supervisor.reset,

    async stop() {
      stopped = true;
      stopping.abort();
      supervisor.stop();
      for (const entry of [...entries.values(), ...retired]) void close(entry);
      await Promise.all(ending.values());
    },
  };
}
