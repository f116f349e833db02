import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { describeFailure } from './describe-failure.ts';
import { discoverServer, signInRequired } from './discover-server.ts';
import { ownService } from './own-service.ts';
import type { Services } from './run-services.ts';
import { needsOwnSecrets } from './upstream-sign-in/credentials.ts';
import { isEraStale } from './open-connection.ts';
import type { UpstreamPool } from './upstream-pool.ts';

/** A server that does not answer a ping in this time hangs. With the interval it stays below the 15 s that we promise. */
const pingTimeoutMs = 4_000;
/** Refreshes of one server coalesce and are at most one per 10 s (clarifications, Marketplace). */
const refreshIntervalMs = 10_000;
/** The product is ready without a service that takes longer than this. */
const serviceStartPatienceMs = 3_000;
/** A stdio server that could not be started is tried again this often. */
const stdioRetryMs = 30_000;

const leftAlone = 'Every call to the server fails: it is left alone for a moment';

/** Keeps the catalogue true: discovers new servers, checks the others, and asks again when somebody may and does. */
export type ServerWatch = {
  /** Starts the services that deployed servers stand on. Resolves when they run, or after a moment without them. */
  startServices(): Promise<void>;
  /** Discovers what is new and begins the checks. Resolves when every server was asked once. */
  start(): Promise<void>;
  /** Asks the named servers again, unless they were asked in the last 10 s. Answers the ids that are asked now. */
  refresh(serverIds: readonly string[]): string[];
  /** A server says that its lists changed: it is asked again, now or as soon as the 10 s are over. */
  listChanged(serverId: string): void;
  /** A shared connection is gone: say so now rather than at the next check. */
  lost(serverId: string, reason: string): void;
  stop(): Promise<void>;
};

export function createServerWatch(options: {
  catalogue: Catalogue;
  pool: UpstreamPool;
  services: Services;
  intervalMs: number;
  restartDelayMs: number;
  clock: Clock;
  log: Log;
}): ServerWatch {
  const { catalogue, pool, services, clock, log } = options;
  const discovering = new Map<string, Promise<void>>();
  const checking = new Set<string>();
  const askedAtMs = new Map<string, number>();
  /** A stdio server that ended by itself is not started again before this time. */
  const notBeforeMs = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  const listChangePending = new Set<string>();
  /** Said that its lists changed while it was being asked for them. */
  const noticedWhileAsked = new Set<string>();
  const underWay = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  /** Runs beside everything else; stop() waits for it; a fault of ours is logged, never lost. */
  function background(work: Promise<void>): void {
    const settled = work
      .catch((error: unknown) => {
        if (!stopped) log.error({ err: error }, 'a background check failed');
      })
      .finally(() => underWay.delete(settled));
    underWay.add(settled);
  }

  function later(delayMs: number, serverId: string, work: (server: CatalogueServer) => Promise<void>): void {
    const pending = setTimeout(() => {
      timers.delete(pending);
      const server = catalogue.snapshot().byId.get(serverId);
      if (server) background(work(server));
    }, delayMs);
    timers.add(pending);
  }

  function discover(server: CatalogueServer): Promise<void> {
    const running = discovering.get(server.id);
    if (running) return running;
    askedAtMs.set(server.id, clock.now());
    notBeforeMs.delete(server.id);
    const before = offersOf(server.id);
    const work = discoverServer(server, { catalogue, pool, log }).finally(() => {
      discovering.delete(server.id);
      const noticed = noticedWhileAsked.delete(server.id);
      if (noticed && offersOf(server.id) !== before) listChanged(server.id);
    });
    discovering.set(server.id, work);
    return work;
  }

  const offersOf = (serverId: string) => catalogue.snapshot().byId.get(serverId)?.offersHash;

  /** Some servers say so at each start, also when they are started to be asked: that is no reason to ask for ever. */
  function listChanged(serverId: string): void {
    if (stopped || listChangePending.has(serverId)) return;
    if (discovering.has(serverId)) {
      noticedWhileAsked.add(serverId);
      return;
    }
    listChangePending.add(serverId);
    const waitMs = Math.max(0, (askedAtMs.get(serverId) ?? -Infinity) + refreshIntervalMs - clock.now());
    later(waitMs, serverId, (server) => {
      listChangePending.delete(serverId);
      return discover(server);
    });
  }

  async function check(server: CatalogueServer): Promise<void> {
    if (checking.has(server.id) || discovering.has(server.id)) return;
    checking.add(server.id);
    try {
      await checkServer(server);
    } finally {
      checking.delete(server.id);
    }
  }

  async function checkServer(server: CatalogueServer): Promise<void> {
    if (isNew(server)) {
      if (mayRetry(server)) await discover(server);
      return;
    }
    // A stdio server starts on first use: not running is no fault, only a failed start is.
    if (server.manifest.connection.type === 'stdio') {
      if (server.status !== 'connected' && mayRetry(server)) await discover(server);
      return;
    }
    if (isEraStale(server, clock)) {
      pool.retireShared(server);
      await discover(server);
      return;
    }
    const wasDown = server.status !== 'connected';
    try {
      const lease = await pool.acquire(server, undefined);
      try {
        await lease.upstream.ping(pingTimeoutMs);
      } finally {
        lease.release();
      }
      // What was down is up again; what no check has found down may have been gone between two of them.
      if (wasDown && server.statusDetail !== leftAlone) pool.retryNow(server.id);
      else pool.seenWell(server.id);
      // It answers a ping, and fails every call.
      if (pool.isLeftAlone(server.id)) {
        await catalogue.setHealth(server.id, { status: 'error', detail: leftAlone, era: undefined });
        return;
      }
      // What came back may be another version with other tools.
      if (wasDown) await discover(server);
      else await catalogue.setHealth(server.id, { status: 'connected', detail: undefined, era: undefined });
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      if (error.kind === 'sign_in_required' && needsOwnSecrets(server)) {
        await catalogue.setHealth(server.id, { status: 'connected', detail: signInRequired, era: undefined });
        return;
      }
      pool.retireShared(server);
      await catalogue.setHealth(server.id, describeFailure(error));
    }
  }

  function mayRetry(server: CatalogueServer): boolean {
    if (server.manifest.connection.type !== 'stdio') return true;
    return clock.now() >= (notBeforeMs.get(server.id) ?? (askedAtMs.get(server.id) ?? -Infinity) + stdioRetryMs);
  }

  function servicesOf(name: string): CatalogueServer[] {
    return catalogue.snapshot().servers.filter((server) => ownService(server)?.name === name);
  }

  return {
    async startServices() {
      const { servers } = catalogue.snapshot();
      const names = new Set(servers.flatMap((server) => ownService(server)?.name ?? []));
      const patience = new Promise<void>((resolve) => setTimeout(resolve, serviceStartPatienceMs).unref());
      await Promise.race([patience, Promise.all([...names].map((name) => services.start(name)))]);
    },

    async start() {
      const known = catalogue.snapshot().servers;
      services.onChange((name) => {
        for (const server of servicesOf(name)) {
          // It comes back at another address: a connection that anybody kept would fail for ever.
          background(pool.dropAll(server.id));
          if (services.address(name) !== undefined) pool.retryNow(server.id);
          background(check(server));
        }
      });
      // A new version is asked as soon as it is deployed.
      catalogue.onChange(({ servers }) => {
        for (const server of servers) {
          const name = ownService(server)?.name;
          if (name !== undefined) background(services.start(name));
          if (isNew(server) && (askedAtMs.get(server.id) ?? 0) < server.deployedAtMs) {
            pool.retryNow(server.id);
            background(discover(server));
          }
        }
      });
      timer = setInterval(() => {
        for (const server of catalogue.snapshot().servers) background(check(server));
      }, options.intervalMs);
      await Promise.all(
        known.map((server) =>
          // A process is not started just to be asked what is known already.
          server.manifest.connection.type === 'stdio' && !isNew(server) ? undefined : discover(server),
        ),
      );
    },

    refresh(serverIds) {
      const nowMs = clock.now();
      return serverIds.filter((id) => {
        const server = catalogue.snapshot().byId.get(id);
        if (!server || nowMs - (askedAtMs.get(id) ?? -Infinity) < refreshIntervalMs) return false;
        // somebody looks after it: what was left alone or stopped gets another chance
        pool.retryNow(id);
        background(discover(server));
        return true;
      });
    },

    listChanged,

    lost(serverId, reason) {
      if (stopped) return;
      const detail = `The server ended the connection (${reason})`;
      background(catalogue.setHealth(serverId, { status: 'disconnected', detail, era: undefined }));
      notBeforeMs.set(serverId, clock.now() + options.restartDelayMs);
      later(options.restartDelayMs, serverId, check);
    },

    async stop() {
      stopped = true;
      clearInterval(timer);
      for (const pending of timers) clearTimeout(pending);
      await Promise.all(underWay);
    },
  };
}

/** Deployed since it was last discovered, so what is stored is of another version or of none. */
function isNew(server: CatalogueServer): boolean {
  return (server.discoveredAtMs ?? 0) < server.deployedAtMs;
}
