import type { Catalogue, CatalogueServer, CatalogueSnapshot } from '#features/catalogue/index.ts';
import { createBackground } from '#platform/background.ts';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { isEraStale } from '../pool/open-connection.ts';
import { ownService } from '../pool/own-service.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import type { Services } from '../processes/run-services.ts';
import type { StdioPrograms } from '../processes/stdio-programs.ts';
import { checkHealth } from './check-health.ts';
import { discoverServer } from './discover-server.ts';
import { isNew, mayRetry, refreshIntervalMs, watchedServer, type WatchedServer } from './watched-server.ts';

/** The product is ready without a service that takes longer than this. */
const serviceStartPatienceMs = 3_000;

/** Keeps the catalogue up to date: discovers new servers, checks the others, and refreshes on request. */
export type ServerWatch = {
  /** Starts the services that deployed servers run on. Resolves when they run, or after a moment without them. */
  startServices(): Promise<void>;
  /** Discovers new servers and begins the checks. Resolves when every server was asked once. */
  start(): Promise<void>;
  /** Asks the named servers again, unless they were asked in the last 10 s. Answers the ids that are asked now. */
  refresh(serverIds: readonly string[]): string[];
  /** A server announced that its lists changed: it is asked again, now or as soon as the 10 s are over. */
  listChanged(serverId: string): void;
  /**
   * Resolves when a server was asked since its deployment, at once when it was.
   * @returns why it could not be asked, in an operator's words; undefined when it answered
   */
  asked(serverId: string): Promise<string | undefined>;
  /** Why a server could not be asked or checked last, in an operator's words: it may name addresses. */
  failureOf(serverId: string): string | undefined;
  /** A shared connection was lost: the status says so now rather than at the next check. */
  lost(serverId: string, reason: string): void;
  stop(): Promise<void>;
};

export function createServerWatch(options: {
  catalogue: Catalogue;
  pool: UpstreamPool;
  programs: Pick<StdioPrograms, 'isReady' | 'prepare'>;
  services: Services;
  intervalMs: number;
  restartDelayMs: number;
  clock: Clock;
  log: Log;
}): ServerWatch {
  const { catalogue, pool, services, clock } = options;
  const time = elapsedTime(clock);
  const background = createBackground(options.log);
  const watchedById = new Map<string, WatchedServer>();
  /** When each server was deployed, as it was seen last. */
  let deployments: ReadonlyMap<string, number> = new Map();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const find = (serverId: string) => catalogue.snapshot().byId.get(serverId);

  function watchedOf(serverId: string): WatchedServer {
    const watched = watchedById.get(serverId) ?? watchedServer();
    watchedById.set(serverId, watched);
    return watched;
  }

  function discover(server: CatalogueServer): Promise<void> {
    const watched = watchedOf(server.id);
    if (watched.discovery && watched.discoveryOfMs === server.deployedAtMs) return watched.discovery;
    if (watched.discovery) return watched.discovery.then(() => rediscover(server.id));
    watched.discoveryOfMs = server.deployedAtMs;
    watched.askedAtMs = time.now();
    watched.restartAtMs = undefined;
    const before = find(server.id)?.offersHash;
    const isWanted = () => !stopped && find(server.id)?.deployedAtMs === server.deployedAtMs;
    const ask = () => discoverServer(server, watched, { ...options, isWanted });
    const name = ownService(server)?.name;
    // a service that was deployed a moment ago is still starting: that is no failure
    const asked = name === undefined ? ask() : services.start(name).then(() => (isWanted() ? ask() : undefined));
    watched.discovery = asked.finally(() => {
      watched.discovery = undefined;
      const hasNewLists = watched.hasNewListsWhileAsked;
      watched.hasNewListsWhileAsked = false;
      // Some servers announce their lists at each start, also when we start them to ask: without this comparison we
      // would ask them for ever.
      if (hasNewLists && find(server.id)?.offersHash !== before) listChanged(server.id);
    });
    return watched.discovery;
  }

  async function rediscover(serverId: string): Promise<void> {
    const server = find(serverId);
    if (server && !stopped) await discover(server);
  }

  function discoverLater(server: CatalogueServer): void {
    background.add(discover(server), 'a server could not be discovered');
  }

  function listChanged(serverId: string): void {
    if (stopped || !find(serverId)) return;
    const watched = watchedOf(serverId);
    if (watched.refreshTimer) return;
    if (watched.discovery) {
      watched.hasNewListsWhileAsked = true;
      return;
    }
    const waitMs = Math.max(0, watched.askedAtMs + refreshIntervalMs - time.now());
    watched.refreshTimer = setTimeout(() => {
      watched.refreshTimer = undefined;
      const server = find(serverId);
      if (server) discoverLater(server);
    }, waitMs);
  }

  async function check(server: CatalogueServer): Promise<void> {
    const watched = watchedOf(server.id);
    if (watched.isBeingChecked || watched.discovery) return;
    watched.isBeingChecked = true;
    try {
      if (await needsDiscovery(server, watched)) await discover(server);
    } finally {
      watched.isBeingChecked = false;
    }
  }

  async function needsDiscovery(server: CatalogueServer, watched: WatchedServer): Promise<boolean> {
    if (isNew(server)) return mayRetry(server, watched, time);
    // A stdio server starts on first use: not running is no fault, only a failed start is.
    if (server.manifest.connection.type === 'stdio') {
      return server.status !== 'connected' && mayRetry(server, watched, time);
    }
    if (isEraStale(server, clock)) {
      pool.retireShared(server);
      return true;
    }
    return checkHealth(server, watched, options);
  }

  function checkLater(server: CatalogueServer): void {
    background.add(check(server), 'a server could not be checked');
  }

  /** It comes back at another address, so every connection that is still open would fail from now on. */
  function serviceChanged(name: string): void {
    if (stopped) return;
    for (const server of catalogue.snapshot().servers.filter((each) => ownService(each)?.name === name)) {
      background.add(pool.dropAll(server.id), 'the connections to a service could not be closed');
      if (services.address(name) !== undefined) pool.retryNow(server.id);
      checkLater(server);
    }
  }

  /** Running calls finish; nothing asks the server again. */
  function forget(serverId: string): void {
    const watched = watchedById.get(serverId);
    clearTimeout(watched?.refreshTimer);
    clearTimeout(watched?.restartTimer);
    watchedById.delete(serverId);
    pool.retireServer(serverId);
  }

  /** A new version is asked as soon as it is deployed, and a server that was taken out no more. */
  function catalogueChanged({ servers, byId }: CatalogueSnapshot): void {
    if (stopped) return;
    const before = deployments;
    for (const id of before.keys()) if (!byId.has(id)) forget(id);
    deployments = deploymentsOf(servers);
    for (const server of servers) {
      const name = ownService(server)?.name;
      if (name !== undefined) background.add(services.start(name), 'a service could not be started');
      if (before.get(server.id) !== server.deployedAtMs) {
        pool.retryNow(server.id);
        discoverLater(server);
      }
    }
  }

  return {
    async startServices() {
      const { servers } = catalogue.snapshot();
      const names = new Set(servers.flatMap((server) => ownService(server)?.name ?? []));
      const patience = new Promise<void>((resolve) => setTimeout(resolve, serviceStartPatienceMs).unref());
      await Promise.race([patience, Promise.all([...names].map((name) => services.start(name)))]);
    },

    async start() {
      const { servers: known } = catalogue.snapshot();
      deployments = deploymentsOf(known);
      services.onChange(serviceChanged);
      catalogue.onChange(catalogueChanged);
      timer = setInterval(() => {
        for (const server of catalogue.snapshot().servers) checkLater(server);
      }, options.intervalMs);
      // A process is not started just to be asked what is already known.
      const asked = known.filter((server) => {
        const { connection } = server.manifest;
        return connection.type !== 'stdio' || isNew(server) || !options.programs.isReady(connection.command);
      });
      await Promise.all(asked.map(discover));
    },

    refresh(serverIds) {
      return serverIds.filter((id) => {
        const server = find(id);
        if (!server || time.now() - watchedOf(id).askedAtMs < refreshIntervalMs) return false;
        // The person asks for it: a server that is paused or stopped after failures gets another chance.
        pool.retryNow(id);
        discoverLater(server);
        return true;
      });
    },

    listChanged,

    async asked(serverId) {
      await watchedById.get(serverId)?.discovery;
      const server = find(serverId);
      if (!server) return undefined;
      const watched = watchedOf(serverId);
      if (watched.discovery || watched.discoveryOfMs !== server.deployedAtMs) await discover(server);
      return watched.failure;
    },

    failureOf: (serverId) => watchedById.get(serverId)?.failure,

    lost(serverId, reason) {
      if (stopped || !find(serverId)) return;
      const detail = `The server ended the connection (${reason})`;
      const health = { status: 'disconnected' as const, detail, era: undefined };
      background.add(catalogue.setHealth(serverId, health), 'the status of a server could not be stored');
      const watched = watchedOf(serverId);
      watched.restartAtMs = time.now() + options.restartDelayMs;
      clearTimeout(watched.restartTimer);
      watched.restartTimer = setTimeout(() => {
        watched.restartTimer = undefined;
        const server = find(serverId);
        if (server) checkLater(server);
      }, options.restartDelayMs);
    },

    async stop() {
      stopped = true;
      clearInterval(timer);
      for (const { refreshTimer, restartTimer } of watchedById.values()) {
        clearTimeout(refreshTimer);
        clearTimeout(restartTimer);
      }
      await background.flush();
    },
  };
}

function deploymentsOf(servers: readonly CatalogueServer[]): Map<string, number> {
  return new Map(servers.map(({ id, deployedAtMs }) => [id, deployedAtMs]));
}
