import { openUpstream } from '#adapters/mcp/open-upstream.ts';
import type { Upstream } from '#adapters/mcp/types.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { createAdmissions, type AdmissionLimits, type Admissions } from './admission/admissions.ts';
import { systemTimers, type Timers } from './timers.ts';
import { isPerUser, upstreamTarget, type TargetOptions } from './upstream-target.ts';

/** Gateway.md, Lifetimes and limits. */
const idleCloseMs = 5 * 60_000;
const sweepIntervalMs = 30_000;
const maxStdioProcesses = 32;
const maxResultBytes = 8 * 1024 * 1024;
/** A stored verdict about the era is trusted for a day. */
const eraTrustMs = 24 * 60 * 60_000;

type Entry = {
  key: string;
  server: CatalogueServer;
  /** Whose it is; undefined when it is everybody's. */
  userId: string | undefined;
  opening: Promise<Upstream>;
  upstream: Upstream | undefined;
  inFlight: number;
  usedAtMs: number;
  /** Nobody gets it any more; it ends when the calls on it have. */
  isRetired?: boolean;
};

export type PoolEvents = {
  /** A list of the server changed (its own notice). */
  onListChanged(serverId: string): void;
  /** A connection that nobody ended is gone. `shared` when it served everybody. */
  onLost(serverId: string, reason: string, shared: boolean): void;
};

export type Lease = { upstream: Upstream; release(): void };

/** Open connections to upstream servers: one for everybody, or one for each person where the server keeps state. */
export type UpstreamPool = Pick<Admissions, 'admit' | 'admitNow' | 'retryNow'> & {
  /**
   * A connection for this person (undefined: for nobody), opened on first use. Release it when the call is over.
   * @throws UpstreamError
   */
  acquire(server: CatalogueServer, userId: string | undefined): Promise<Lease>;
  /** Ends the connection that acquire would answer: it is no good any more. */
  drop(server: CatalogueServer, userId: string | undefined): Promise<void>;
  /** What a person has at a server has changed: their connections take no new call, and end when no call is under way. */
  retire(serverId: string, userId: string): void;
  /** Ends every connection to a server, of everybody: it is not where it was. */
  dropAll(serverId: string): Promise<void>;
  /** Pids of the stdio servers that run, for limits and tests. */
  stdioPids(serverId?: string): number[];
  stop(): Promise<void>;
};

export function createUpstreamPool(
  options: TargetOptions & { limits: AdmissionLimits; clock: Clock; timers?: Timers; log: Log; events: PoolEvents },
): UpstreamPool {
  const { clock, log, events, timers = systemTimers } = options;
  const admissions = createAdmissions({ limits: options.limits, clock, timers });
  const entries = new Map<string, Entry>();
  let stopped = false;

  const keyOf = (server: CatalogueServer, userId: string | undefined) =>
    `${server.id}/${isPerUser(server) ? (userId ?? '') : ''}`;

  function open(key: string, server: CatalogueServer, userId: string | undefined): Entry {
    const { manifest } = server;
    const era = server.era && clock.now() - server.era.atMs < eraTrustMs ? server.era.verdict : undefined;
    const listChanged = () => events.onListChanged(server.id);
    const entry: Entry = {
      key,
      server,
      userId: isPerUser(server) ? userId : undefined,
      inFlight: 0,
      usedAtMs: clock.now(),
      upstream: undefined,
      opening: Promise.resolve().then(() =>
        openUpstream(upstreamTarget(server, isPerUser(server) ? userId : undefined, options), {
          ...(era && { era }),
          connectTimeoutMs: manifest.deadlines.connectMs,
          listTimeoutMs: manifest.deadlines.listMs,
          maxResultBytes,
          log,
          onToolListChanged: listChanged,
          onPromptListChanged: listChanged,
          onResourceListChanged: listChanged,
          onClosed: (reason) => {
            forget(entry);
            events.onLost(server.id, reason, !isPerUser(server));
          },
        }),
      ),
    };
    entries.set(key, entry);
    entry.opening.then(
      (upstream) => {
        entry.upstream = upstream;
      },
      () => forget(entry),
    );
    return entry;
  }

  function forget(entry: Entry): void {
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
  }

  async function close(entry: Entry): Promise<void> {
    forget(entry);
    const upstream = await entry.opening.catch(() => undefined);
    await upstream?.close();
  }

  /** Makes room for one more process: the one that was idle longest has to go. */
  async function makeRoom(): Promise<void> {
    const processes = [...entries.values()].filter((entry) => entry.server.manifest.connection.type === 'stdio');
    if (processes.length < maxStdioProcesses) return;
    const [longestIdle] = processes.filter((entry) => entry.inFlight === 0).sort((a, b) => a.usedAtMs - b.usedAtMs);
    if (!longestIdle) throw new UpstreamError('busy', 'every place for a program is taken');
    await close(longestIdle);
  }

  const sweep = setInterval(() => {
    const oldest = clock.now() - idleCloseMs;
    for (const entry of entries.values()) if (entry.inFlight === 0 && entry.usedAtMs < oldest) void close(entry);
  }, sweepIntervalMs);
  sweep.unref();

  return {
    admit: admissions.admit,
    admitNow: admissions.admitNow,
    retryNow: admissions.retryNow,

    async acquire(server, userId) {
      if (stopped) throw new UpstreamError('closed', 'the broker is stopping');
      const key = keyOf(server, userId);
      let entry = entries.get(key);
      // A new version may stand elsewhere: its predecessor's connection is of no use.
      if (entry && entry.server.deployedAtMs !== server.deployedAtMs) {
        void close(entry);
        entry = undefined;
      }
      if (!entry) {
        if (server.manifest.connection.type === 'stdio') await makeRoom();
        // somebody else may have opened it while room was made
        entry = entries.get(key) ?? open(key, server, userId);
      }
      const held = entry;
      held.inFlight++;
      let released = false;
      const release = () => {
        if (released) return;
        released = true;
        held.inFlight--;
        held.usedAtMs = clock.now();
        if (held.isRetired && held.inFlight === 0) void close(held);
      };
      try {
        return { upstream: await held.opening, release };
      } catch (error) {
        release();
        throw error;
      }
    },

    async drop(server, userId) {
      const entry = entries.get(keyOf(server, userId));
      if (entry) await close(entry);
    },

    retire(serverId, userId) {
      for (const entry of entries.values()) {
        if (entry.server.id !== serverId || entry.userId !== userId) continue;
        forget(entry);
        entry.isRetired = true;
        if (entry.inFlight === 0) void close(entry);
      }
    },

    async dropAll(serverId) {
      await Promise.all([...entries.values()].filter((entry) => entry.server.id === serverId).map(close));
    },

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
      await Promise.all([...entries.values()].map(close));
    },
  };
}
