import { elapsedTime } from '#platform/clock.ts';
import { createBackground } from '#platform/work/background.ts';
import { ownService } from '../pool/own-service.ts';
import { AskedServers } from './ask-servers.ts';
import { checkLater } from './check-health.ts';
import { createCheckTimes } from './check-times.ts';
import { connectionLost, followCatalogue, serviceChanged } from './follow-changes.ts';
import { createLeftOut } from './leave-out.ts';
import type { WatchOptions, WatchParts } from './watch-parts.ts';
import { isNew, watchedOf, type WatchedServer } from './watched-server.ts';

/** Time to wait for services at the start: the product is ready without a service that takes longer. */
const serviceStartPatienceMs = 3_000;
/** Looks for due checks per check interval, so that the checks are spread over it. */
const looksPerInterval = 20;
const shortestLookMs = 20;

/** Keeps the catalogue up to date: discovers new servers, checks the others, and refreshes on request. */
export type ServerWatch = {
  /** Starts the services that deployed servers run on. Resolves when they run, or after 3 s without them. */
  startServices(): Promise<void>;
  /** Discovers new servers and begins the checks. Resolves when every server was asked once. */
  start(): Promise<void>;
  /**
   * Asks the named servers again. Of those asked in the last 10 s, only disconnected ones are asked, once the 10 s are over.
   * @param byOperator asks immediately in any case
   * @returns the ids of the servers that are asked
   */
  refresh(serverIds: readonly string[], byOperator?: boolean): string[];
  /** Asks a server that announced changed lists, now or as soon as the 10 s are over. */
  listChanged(serverId: string): void;
  /**
   * Resolves when a server was asked since its deployment.
   * @returns why it could not be asked, in words for the operator; undefined when it answered
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

  function look(): void {
    for (const server of checkTimes.due(catalogue.snapshot().servers)) checkLater(server, parts);
    leftOut.tell();
  }

  function beginStop(): void {
    state.isStopping = true;
    clearInterval(timer);
    // a server that fails to answer while the broker ends may have been ended with it
    asked.stop();
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
      services.onChange((name) => serviceChanged(name, parts));
      followCatalogue(known, parts);
      timer = setInterval(look, Math.max(shortestLookMs, options.intervalMs / looksPerInterval));
      // A process is not started only to ask what is already known, if it worked and can be started.
      const unknown = known.filter((server) => {
        const { connection } = server.manifest;
        const isKnown = server.status === 'connected' && !isNew(server);
        return (
          connection.type !== 'stdio' ||
          !isKnown ||
          !programs.isReady({ serverId: server.id, alias: connection.command })
        );
      });
      await Promise.all(unknown.map((server) => asked.discover(server)));
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
