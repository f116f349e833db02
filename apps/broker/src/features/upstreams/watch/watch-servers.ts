import type { Catalogue, CatalogueServer, CatalogueSnapshot } from '#features/catalogue/index.ts';
import { createBackground } from '#platform/work/background.ts';
import { inBackground } from '#platform/db/background-work.ts';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { isEraStale } from '../pool/open-connection.ts';
import { ownService } from '../pool/own-service.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import type { Services } from '../processes/run-services.ts';
import type { StdioPrograms } from '../processes/stdio-programs.ts';
import { createAskedServers } from './ask-servers.ts';
import type { TurnLimits } from './ask-turns.ts';
import { checkHealth } from './check-health.ts';
import { createCheckTimes } from './check-times.ts';
import { createLeftOut } from './leave-out.ts';
import { isNew, mayRetry, type WatchedServer } from './watched-server.ts';

/** The product is ready without a service that takes longer than this. */
const serviceStartPatienceMs = 3_000;
/** How often the watch looks whose check is due, in an interval of the checks: so they are spread over it. */
const looksPerInterval = 20;
const shortestLookMs = 20;
/** A signal that was sent to several processes has come to all of them after this time. */
const signalMs = 100;

/** Keeps the catalogue up to date: discovers new servers, checks the others, and refreshes on request. */
export type ServerWatch = {
  /** Starts the services that deployed servers run on. Resolves when they run, or after a moment without them. */
  startServices(): Promise<void>;
  /** Discovers new servers and begins the checks. Resolves when every server was asked once. */
  start(): Promise<void>;
  /**
   * Asks the named servers again, unless they were asked in the last 10 s: then only those that are not connected, once the
   * 10 s are over. @param byOperator asks at once in any case. @returns the ids that are asked
   */
  refresh(serverIds: readonly string[], byOperator?: boolean): string[];
  /** A server announced that its lists changed: it is asked again, now or as soon as the 10 s are over. */
  listChanged(serverId: string): void;
  /**
   * Resolves when a server was asked since its deployment, at once when it was.
   * @returns why it could not be asked, in an operator's words; undefined when it answered
   */
  asked(serverId: string): Promise<string | undefined>;
  /** Says that servers wait to be asked for a limit of ours; undefined where none does. */
  leftOut(): string | undefined;
  /** Why a server could not be asked or checked last, in an operator's words: it may name addresses. */
  failureOf(serverId: string): string | undefined;
  /** A shared connection was lost: the status says so now rather than at the next check. */
  lost(serverId: string, reason: string): void;
  /** Nothing is checked any more, and no connection that ends is told. */
  beginStop(): void;
  stop(): Promise<void>;
};

export function createServerWatch(options: {
  catalogue: Catalogue;
  pool: UpstreamPool;
  programs: Pick<StdioPrograms, 'isReady' | 'prepare'>;
  services: Services;
  /** Of the checks of a server that people use, and of each where there are few. */
  intervalMs: number;
  restartDelayMs: number;
  /** Whether people used a server within a day. */
  isUsed: (serverId: string) => boolean;
  /** To all servers. */
  maxConnections: number;
  askTurns: TurnLimits | undefined;
  /** A text about a server without its secrets. */
  hide(serverId: string, text: string): string;
  clock: Clock;
  log: Log;
}): ServerWatch {
  const { catalogue, pool, services, clock } = options;
  const time = elapsedTime(clock);
  const background = createBackground(options.log);
  const watchedById = new Map<string, WatchedServer>();
  const checkTimes = createCheckTimes({ ...options, clock: time });
  const { discover, discoverLater, watchedOf, ...asking } = createAskedServers({
    ...options,
    watchedById,
    noteAsked: checkTimes.asked,
    limits: options.askTurns,
    background,
    time,
  });
  const leftOut = createLeftOut(watchedById, { ...options, clock: time });
  /** When each server was deployed, as it was seen last. */
  const deployments = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let isStopping = false;

  const find = (serverId: string) => catalogue.snapshot().byId.get(serverId);

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
    return checkHealth(server, watched, { ...options, isWanted: () => !isStopping && find(server.id) !== undefined });
  }

  function checkLater(server: CatalogueServer): void {
    background.add(
      inBackground(() => check(server)),
      'a server could not be checked',
    );
  }

  /** A signal to all processes of a group ends those that we started before we hear of it: that is no news of theirs. */
  function unlessStopping(act: () => void): void {
    setTimeout(
      () => {
        if (!isStopping) act();
      },
      Math.min(signalMs, options.restartDelayMs / 2),
    ).unref();
  }

  function serviceChanged(name: string): void {
    if (isStopping) return;
    for (const server of catalogue.snapshot().servers.filter((each) => ownService(each)?.name === name)) {
      if (services.address(name) === undefined) {
        // it comes back at another address, so every connection that is still open would fail from now on
        background.add(pool.dropAll(server.id), 'the connections to a service could not be closed');
        unlessStopping(() => checkLater(server));
      } else {
        pool.retryNow(server.id);
        checkLater(server);
      }
    }
  }

  /** Running calls finish; nothing asks the server again. */
  function forget(serverId: string): void {
    const watched = watchedById.get(serverId);
    clearTimeout(watched?.refreshTimer);
    clearTimeout(watched?.restartTimer);
    watchedById.delete(serverId);
    deployments.delete(serverId);
    checkTimes.forget(serverId);
    pool.retireServer(serverId);
  }

  /** A new version is asked as soon as it is deployed, and a server that was taken out no more. */
  function catalogueChanged(
    { byId }: CatalogueSnapshot,
    changed: readonly CatalogueServer[],
    before: readonly CatalogueServer[],
  ): void {
    if (stopped) return;
    for (const { id } of before) if (!byId.has(id)) forget(id);
    for (const server of changed) {
      if (deployments.get(server.id) === server.deployedAtMs) continue;
      deployments.set(server.id, server.deployedAtMs);
      pool.retryNow(server.id);
      discoverLater(server);
    }
  }

  function beginStop(): void {
    isStopping = true;
    clearInterval(timer);
    // a server that fails to answer while the broker ends may have been ended with it
    asking.stop();
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
      for (const { id, deployedAtMs } of known) deployments.set(id, deployedAtMs);
      services.onChange(serviceChanged);
      catalogue.onChange(catalogueChanged);
      const look = () => {
        checkTimes.due(catalogue.snapshot().servers).forEach(checkLater);
        leftOut.tell();
      };
      timer = setInterval(look, Math.max(shortestLookMs, options.intervalMs / looksPerInterval));
      // A process is not started just to be asked what is already known: one that worked and can be started is not asked.
      const asked = known.filter((server) => {
        const { connection } = server.manifest;
        const isKnown = server.status === 'connected' && !isNew(server);
        return (
          connection.type !== 'stdio' ||
          !isKnown ||
          !options.programs.isReady({ serverId: server.id, alias: connection.command })
        );
      });
      await Promise.all(asked.map(discover));
    },

    refresh: (serverIds, byOperator = false) => asking.refresh(serverIds, byOperator),

    listChanged: asking.listChanged,

    async asked(serverId) {
      await watchedById.get(serverId)?.discovery;
      const server = find(serverId);
      if (!server) return undefined;
      const watched = watchedOf(serverId);
      if (watched.discovery || watched.discoveryOfMs !== server.deployedAtMs) await discover(server);
      return watched.failure;
    },

    leftOut: leftOut.text,

    failureOf: (serverId) => watchedById.get(serverId)?.failure,

    lost(serverId, reason) {
      if (isStopping || !find(serverId)) return;
      const detail = `The server ended the connection (${reason})`;
      const health = { status: 'disconnected' as const, detail, era: undefined };
      unlessStopping(() =>
        background.add(catalogue.setHealth(serverId, health), 'the status of a server could not be stored'),
      );
      const watched = watchedOf(serverId);
      watched.restartAtMs = time.now() + options.restartDelayMs;
      clearTimeout(watched.restartTimer);
      watched.restartTimer = setTimeout(() => {
        watched.restartTimer = undefined;
        const server = find(serverId);
        if (server) checkLater(server);
      }, options.restartDelayMs);
    },

    beginStop,

    async stop() {
      beginStop();
      stopped = true;
      for (const { refreshTimer, restartTimer } of watchedById.values()) {
        clearTimeout(refreshTimer);
        clearTimeout(restartTimer);
      }
      await background.flush();
    },
  };
}
