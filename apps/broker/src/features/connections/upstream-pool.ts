import { openUpstream } from '#adapters/mcp/open-upstream.ts';
import type { Upstream } from '#adapters/mcp/types.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import {
  connectionKey,
  isProgram,
  joinCapabilities,
  type ConnectionKey,
  type ConnectionNeeds,
} from './connection-key.ts';
import { createAdmissions, type AdmissionLimits, type Admissions } from './admission/admissions.ts';
import { isBusyProgram, isEraStale, isOutdated, type OpenConnection } from './open-connection.ts';
import { createSupervisor } from './processes/supervisor.ts';
import { systemTimers, type Timers } from './timers.ts';
import { isPerUser, upstreamTarget, type TargetOptions } from './upstream-target.ts';

/** Gateway.md, Lifetimes and limits. */
const idleCloseMs = 5 * 60_000;
const sweepIntervalMs = 30_000;
const maxResultBytes = 8 * 1024 * 1024;

export type PoolEvents = {
  /** A list of the server changed (its own notice). `userId` when the connection is one person's. */
  onListChanged(serverId: string, userId: string | undefined): void;
  /** A person's own connection was opened. */
  onOpened?(serverId: string, userId: string): void;
  /** A connection that nobody ended is gone. `shared` when it served everybody. */
  onLost(serverId: string, reason: string, shared: boolean): void;
};

export type Lease = { upstream: Upstream; release(): void };

/** Open connections to upstream servers: one for everybody, or one for each person where the server keeps state. */
export type UpstreamPool = Pick<Admissions, 'admit' | 'admitNow' | 'inFlight' | 'retryNow' | 'seenWell'> & {
  /**
   * A connection for this person (undefined: for nobody), opened on first use and given at once when it is open. Release
   * it when the call is over.
   * @throws UpstreamError (rejects)
   */
  acquire(server: CatalogueServer, userId: string | undefined, needs?: ConnectionNeeds): Lease | Promise<Lease>;
  /** Ends the connection that acquire would answer: it is no good any more. */
  drop(server: CatalogueServer, userId: string | undefined, needs?: ConnectionNeeds): Promise<void>;
  /** Tells the servers that know of this person's client that its roots changed. */
  announceRoots(userId: string): Promise<void>;
  /** What a person has at a server has changed: their connections take no new call, and end when no call is under way. */
  retire(serverId: string, userId: string): void;
  /** The same for the connection of everybody: the next call opens another. */
  retireShared(server: CatalogueServer): void;
  /** Whether calls to a server fail at once, because it failed each of the last ones. */
  isLeftAlone(serverId: string): boolean;
  /** Ends every connection to a server, of everybody: it is not where it was. */
  dropAll(serverId: string): Promise<void>;
  /** Ends every connection of a person: they are gone. */
  dropPerson(userId: string): Promise<void>;
  /** Ends what was idle for five minutes. Happens by itself every half minute. */
  closeIdle(): void;
  /** Pids of the stdio servers that run, for limits and tests. */
  stdioPids(serverId?: string): number[];
  stop(): Promise<void>;
};

export function createUpstreamPool(
  options: TargetOptions & { limits: AdmissionLimits; clock: Clock; timers?: Timers; log: Log; events: PoolEvents },
): UpstreamPool {
  const { clock, log, events, timers = systemTimers } = options;
  const admissions = createAdmissions({ limits: options.limits, clock, timers });
  const entries = new Map<string, OpenConnection>();
  const supervisor = createSupervisor({ clock, timers, evictIdle });
  /** Out of use, with calls still under way. */
  const retired = new Set<OpenConnection>();
  /** Ends under way: a stop waits for them, else a process could outlive it. */
  const ending = new Map<OpenConnection, Promise<void>>();
  let stopped = false;

  function open(way: ConnectionKey, server: CatalogueServer, userId: string | undefined): OpenConnection {
    const { key, capabilities, ofOnePerson } = way;
    const { manifest } = server;
    const era = server.era && !isEraStale(server, clock) ? server.era.verdict : undefined;
    const owner = ofOnePerson ? userId : undefined;
    const listChanged = () => events.onListChanged(server.id, owner);
    const identity = { serverId: server.id, userId: owner };
    const connect = () =>
      openUpstream(upstreamTarget(server, isPerUser(server) ? userId : undefined, options), {
        ...(era && { era }),
        connectTimeoutMs: manifest.deadlines.connectMs,
        listTimeoutMs: manifest.deadlines.listMs,
        maxResultBytes,
        log,
        ofOnePerson,
        ...(capabilities && { clientCapabilities: capabilities }),
        onToolListChanged: listChanged,
        onPromptListChanged: listChanged,
        onResourceListChanged: listChanged,
        onClosed: (reason) => {
          if (isProgram(server)) supervisor.crashed(identity);
          void close(entry);
          events.onLost(server.id, reason, !ofOnePerson);
        },
      });
    const entry: OpenConnection = {
      key,
      server,
      userId: owner,
      told: capabilities,
      inFlight: 0,
      openedAtMs: clock.now(),
      usedAtMs: clock.now(),
      upstream: undefined,
      opening: isProgram(server)
        ? predecessorsGone(key).then(() => supervisor.start(identity, connect))
        : Promise.resolve().then(connect),
    };
    entries.set(key, entry);
    entry.opening.then(
      (upstream) => {
        entry.upstream = upstream;
        if (owner !== undefined) events.onOpened?.(server.id, owner);
      },
      () => forget(entry),
    );
    return entry;
  }

  /** Two processes of one identity would write the same files: the next one starts when the last one has ended. */
  async function predecessorsGone(key: string): Promise<void> {
    await Promise.all([...ending].map(([entry, end]) => entry.key === key && end));
    if (stopped) throw new UpstreamError('closed', 'the broker is stopping');
  }

  function forget(entry: OpenConnection): void {
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
  }

  /** Resolves when nothing of it is left: no socket and no process. */
  function close(entry: OpenConnection): Promise<void> {
    forget(entry);
    retired.delete(entry);
    const end = entry.opening
      .then(
        (upstream) => upstream.close(),
        () => {},
      )
      .finally(() => ending.delete(entry));
    ending.set(entry, end);
    return end;
  }

  /**
   * Takes no new call, and ends when none is under way: calls that others have on it are not its fault. A program that is
   * asked for again before that goes on, since there is one of it.
   */
  function retire(entry: OpenConnection): void {
    entry.isRetired = true;
    if (entry.inFlight === 0) return void close(entry);
    if (isProgram(entry.server)) return;
    forget(entry);
    retired.add(entry);
  }

  /** Gives back one use of a connection. Only the first call counts. */
  function releaseOf(held: OpenConnection): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      held.inFlight--;
      held.usedAtMs = clock.now();
      if (held.inFlight === 0) supervisor.becameIdle();
      if (held.isRetired && held.inFlight === 0) void close(held);
    };
  }

  /** The process that was idle longest has to go. */
  function evictIdle(): void {
    let longest: OpenConnection | undefined;
    for (const entry of entries.values()) {
      if (!isProgram(entry.server) || !entry.upstream || entry.inFlight > 0) continue;
      if (!longest || entry.usedAtMs < longest.usedAtMs) longest = entry;
    }
    if (longest) void close(longest);
  }

  function closeIdle(): void {
    const oldest = clock.now() - idleCloseMs;
    for (const entry of entries.values()) if (entry.inFlight === 0 && entry.usedAtMs < oldest) void close(entry);
    supervisor.tidy();
  }

  const sweep = setInterval(closeIdle, sweepIntervalMs);
  sweep.unref();

  return {
    admit: admissions.admit,
    admitNow: admissions.admitNow,
    inFlight: admissions.inFlight,
    seenWell: admissions.seenWell,
    isLeftAlone: (serverId) => (admissions.openUntilMs(serverId) ?? 0) > clock.now(),
    retryNow(serverId) {
      supervisor.pardon(serverId);
      admissions.retryNow(serverId);
    },

    acquire(server, userId, needs) {
      if (stopped) return Promise.reject(new UpstreamError('closed', 'the broker is stopping'));
      let way = connectionKey(server, userId, needs);
      let entry = entries.get(way.key);
      // A new version may stand elsewhere: its predecessor's connection is of no use.
      if (entry && entry.server.deployedAtMs !== server.deployedAtMs) {
        void close(entry);
        entry = undefined;
      }
      if (entry && isOutdated(entry, server) && !isBusyProgram(entry)) {
        retire(entry);
        entry = undefined;
      }
      if (entry && isProgram(server)) {
        entry.isRetired = false;
        // a program learns what clients can do when it starts: it starts anew for one that can do more
        const told = joinCapabilities(entry.told, way.capabilities);
        if (told !== entry.told && !isBusyProgram(entry)) {
          void close(entry);
          entry = undefined;
          way = { ...way, capabilities: told };
        }
      }
      const held = entry ?? open(way, server, userId);
      held.inFlight++;
      const release = releaseOf(held);
      if (held.upstream) return { upstream: held.upstream, release };
      return held.opening.then(
        (upstream) => ({ upstream, release }),
        (error: unknown) => {
          release();
          throw error;
        },
      );
    },

    async drop(server, userId, needs) {
      const entry = entries.get(connectionKey(server, userId, needs).key);
      if (entry) await close(entry);
    },

    retire(serverId, userId) {
      for (const entry of entries.values()) {
        if (entry.server.id !== serverId || entry.userId !== userId) continue;
        retire(entry);
      }
    },

    retireShared(server) {
      const entry = entries.get(connectionKey(server, undefined).key);
      if (entry) retire(entry);
    },

    async dropAll(serverId) {
      await Promise.all([...entries.values()].filter((entry) => entry.server.id === serverId).map(close));
    },

    async dropPerson(userId) {
      await Promise.all([...entries.values()].filter((entry) => entry.userId === userId).map(close));
    },

    async announceRoots(userId) {
      const own = [...entries.values()].filter((entry) => entry.userId === userId);
      await Promise.all(own.map((entry) => entry.upstream?.announceRoots()));
    },

    closeIdle,

    stdioPids: (serverId) =>
      [...entries.values()].flatMap((entry) =>
        entry.upstream?.pid !== undefined && (serverId === undefined || entry.server.id === serverId)
          ? [entry.upstream.pid]
          : [],
      ),

    async stop() {
      stopped = true;
      clearInterval(sweep);
      admissions.stop();
      supervisor.stop();
      for (const entry of [...entries.values(), ...retired]) void close(entry);
      await Promise.all(ending.values());
    },
  };
}
