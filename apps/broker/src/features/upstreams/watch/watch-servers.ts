import { elapsedTime } from '#platform/clock.ts';
import { createBackground } from '#platform/work/background.ts';
import { ownService } from '../pool/own-service.ts';
import { AskedServers } from './ask-servers.ts';
import { checkLater } from './check-health.ts';
import { createCheckTimes } from './check-times.ts';
import { connectionLost, followCatalogue, serviceChanged } from './follow-catalogue.ts';
import { createLeftOut } from './leave-out.ts';
import type { WatchOptions, WatchParts } from './watch-parts.ts';
import { isNew, watchedOf, type WatchedServer } from './watched-server.ts';

/** Longest wait for services at the start. The product is ready without a service that takes longer. */
const serviceStartTimeoutMs = 3_000;
/** Ticks per check interval, which spread the checks over it. */
const ticksPerInterval = 20;
const minTickMs = 20;

/** Keeps the catalogue up to date: discovers new servers, checks the others, and refreshes on request. */
export type ServerWatch = {
  /** Starts the services that deployed servers run on. Resolves when they run, or after 3 s without them. */
  startServices(): Promise<void>;
  /**
   * Discovers all servers except programs whose lists are known, and begins the checks. Resolves when each was asked
   * once.
   */
  start(): Promise<void>;
  /**
   * Discovers these servers again. Of those discovered in the last 10 s, only the ones that are not connected are
   * discovered, when the 10 s have passed.
   * @param byOperator discovers immediately in any case
   * @returns the ids of the servers that are asked
   */
  refresh(serverIds: readonly string[], byOperator?: boolean): string[];
  /** Discovers a server that announced changed lists, now or as soon as 10 s have passed since the last discovery. */
  listChanged(serverId: string): void;
  /**
   * Resolves when a server was discovered since its deployment.
   * @returns the reason, in words for the operator, if the discovery failed
   */
  asked(serverId: string): Promise<string | undefined>;
  /** Returns a text on servers that could not be asked because all connections are in use; undefined if there are none. */
  leftOut(): string | undefined;
  /** Returns why the last discovery or check of a server failed, in words for the operator: it may name addresses. */
  failureOf(serverId: string): string | undefined;
  /** Reports a lost shared connection, so that the status shows it before the next check. */
  lost(serverId: string, reason: string): void;
  /** Stops the checks, and the reports of connections that end. */
  beginStop(): void;
  stop(): Promise<void>;
};

export function createServerWatch(options: WatchOptions): ServerWatch {
  const { catalogue, services, programs } = options;
  const time = elapsedTime(options.clock);
  const background = createBackground(options.log);
  const watchedById = new Map<string, WatchedServer>();
  const checkTimes = createCheckTimes({ ...options, clock: time });
  const find: WatchParts['find'] = (serverId) => catalogue.snapshot().byId.get(serverId);
  const recordAsked = checkTimes.asked;
  const asked = new AskedServers({ ...options, watchedById, recordAsked, find, background, time });
  const state = { isStopping: false, isStopped: false };
  const parts: WatchParts = { ...options, asked, watchedById, checkTimes, background, time, find, state };
  const leftOut = createLeftOut(watchedById, { ...options, clock: time });
  let timer: NodeJS.Timeout | undefined;

  function checkDue(): void {
    for (const server of checkTimes.due(catalogue.snapshot().servers)) checkLater(server, parts);
    leftOut.warn();
  }

  function beginStop(): void {
    state.isStopping = true;
    clearInterval(timer);
    // a server that fails to answer now may have been stopped together with the broker
    asked.stop();
  }

  return {
    async startServices() {
      const { servers } = catalogue.snapshot();
      const names = new Set(servers.flatMap((server) => ownService(server)?.name ?? []));
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, serviceStartTimeoutMs).unref());
      await Promise.race([timeout, Promise.all([...names].map((name) => services.start(name)))]);
    },

    async start() {
      const { servers: known } = catalogue.snapshot();
      services.onChange((name) => serviceChanged(name, parts));
      followCatalogue(known, parts);
      timer = setInterval(checkDue, Math.max(minTickMs, options.intervalMs / ticksPerInterval));
      // No process is started only to read lists that are known, if it worked and can be started.
      const toDiscover = known.filter((server) => {
        const { connection } = server.manifest;
        const isKnown = server.status === 'connected' && !isNew(server);
        return (
          connection.type !== 'stdio' ||
          !isKnown ||
          !programs.isReady({ serverId: server.id, alias: connection.command })
        );
      });
      await Promise.all(toDiscover.map((server) => asked.discover(server)));
    },

    refresh: (serverIds, byOperator = false) => asked.refresh(serverIds, byOperator),
    listChanged: (serverId) => asked.listChanged(serverId),

    async asked(serverId) {
      await watchedById.get(serverId)?.discovery;
      const server = find(serverId);
      if (!server) return undefined;
      const watched = watchedOf(serverId, watchedById);
      if (watched.discovery || watched.discoveryOfMs !== server.deployedAtMs) await asked.discover(server);
      return watched.failure;
    },

    leftOut: leftOut.text,
    failureOf: (serverId) => watchedById.get(serverId)?.failure,
    lost: (serverId, reason) => connectionLost(serverId, reason, parts),
    beginStop,

    async stop() {
      beginStop();
      state.isStopped = true;
      for (const { refreshTimer, restartTimer } of watchedById.values()) {
        clearTimeout(refreshTimer);
        clearTimeout(restartTimer);
      }
      await background.flush();
    },
  };
}
