import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { Background } from '#platform/work/background.ts';
import { inBackground } from '#platform/db/background-work.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { ownService } from '../pool/own-service.ts';
import { systemTimers } from '../pool/timers.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import type { Services } from '../processes/run-services.ts';
import type { StdioPrograms } from '../processes/stdio-programs.ts';
import { createAskTurns, type TurnLimits } from './ask-turns.ts';
import { discoverServer } from './discover-server.ts';
import { refreshIntervalMs, watchedServer, type WatchedServer } from './watched-server.ts';

/** Asks servers what they offer: each once at a time, thousands a few after the other, and for people at most once in 10 s. */
export type AskedServers = {
  /** Resolves when the server was asked since this deployment of it. */
  discover(server: CatalogueServer): Promise<void>;
  /** The same, without waiting. */
  discoverLater(server: CatalogueServer): void;
  /** @returns what is known of a server beside the catalogue */
  watchedOf(serverId: string): WatchedServer;
  /** A server announced that its lists changed: it is asked again, now or as soon as the 10 s are over. */
  listChanged(serverId: string): void;
  /**
   * People want these servers to be asked again. @param byOperator at once in any case, and after a discovery that is under way
   * @returns the ids of those that are asked
   */
  refresh(serverIds: readonly string[], byOperator: boolean): string[];
  /** Nothing is asked any more. */
  stop(): void;
};

export function createAskedServers(options: {
  catalogue: Catalogue;
  pool: UpstreamPool;
  programs: Pick<StdioPrograms, 'prepare'>;
  services: Pick<Services, 'start'>;
  watchedById: Map<string, WatchedServer>;
  /** A server is being asked. */
  noteAsked(serverId: string): void;
  limits: TurnLimits | undefined;
  hide(serverId: string, text: string): string;
  background: Background;
  /** It measures elapsed time. */
  time: Clock;
  log: Log;
}): AskedServers {
  const { catalogue, pool, services, watchedById, background, time } = options;
  const turns = createAskTurns({ clock: time, timers: systemTimers, limits: options.limits });
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
    const ask = async () => {
      if (!isWanted()) return;
      watched.askedAtMs = time.now();
      options.noteAsked(server.id);
      await discoverServer(server, watched, { ...options, isWanted });
    };
    watched.discovery = inBackground(() => askInTurn(server, ask)).finally(() => {
      watched.discovery = undefined;
      const hasNewLists = watched.hasNewListsWhileAsked;
      watched.hasNewListsWhileAsked = false;
      // Some servers announce their lists at each start, also when we start them to ask: without this comparison we
      // would ask them for ever.
      if ((hasNewLists && find(server.id)?.offersHash !== before) || watched.isToBeRetried) listChanged(server.id);
    });
    return watched.discovery;
  }

  async function askInTurn(server: CatalogueServer, ask: () => Promise<void>): Promise<void> {
    const name = ownService(server)?.name;
    // a service that was deployed a moment ago is still starting: that is no failure
    if (name !== undefined) await services.start(name);
    const turn = await turns.take();
    await ask().finally(turn.done);
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
      if (server && watched.isToBeRetried) retry(server, watched);
      else if (server) discoverLater(server);
    }, waitMs);
  }

  /** Asked for by a person: a server that is paused or stopped after failures gets another chance. */
  function retry({ id, status }: CatalogueServer, watched: WatchedServer, byOperator = false): void {
    const again = async () => {
      clearTimeout(watched.refreshTimer);
      watched.refreshTimer = undefined;
      watched.isToBeRetried = false;
      pool.retryNow(id);
      await rediscover(id);
    };
    // a discovery that is under way may have been refused already, or began before what the operator changed
    const before = status === 'connected' && !byOperator ? undefined : watched.discovery;
    if (before && watched.isToBeRetried) return;
    watched.isToBeRetried = before !== undefined;
    background.add(before ? before.then(again) : again(), 'a server could not be discovered');
  }

  return {
    discover,
    discoverLater,
    watchedOf,
    listChanged,

    refresh(serverIds, byOperator) {
      return serverIds.filter((id) => {
        const server = find(id);
        if (!server) return false;
        const watched = watchedOf(id);
        const isEarly = !byOperator && time.now() - watched.askedAtMs < refreshIntervalMs;
        if (isEarly && server.status === 'connected') return false;
        if (!isEarly) retry(server, watched, byOperator);
        else {
          watched.isToBeRetried = true;
          listChanged(id);
        }
        return true;
      });
    },

    stop() {
      stopped = true;
      turns.stop();
    },
  };
}
