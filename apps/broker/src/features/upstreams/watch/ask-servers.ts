import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import { inBackground } from '#platform/db/background-work.ts';
import type { Background } from '#platform/work/background.ts';
import { ownService } from '../pool/own-service.ts';
import { systemTimers } from '../pool/timers.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import type { Services } from '../processes/run-services.ts';
import { createAskTurns, type AskTurns, type TurnLimits } from './ask-turns.ts';
import { discoverServer, type DiscoveryParts } from './discover-server.ts';
import { refreshIntervalMs, watchedOf, type WatchedServer } from './watched-server.ts';

type AskParts = Omit<DiscoveryParts, 'isWanted'> & {
  pool: UpstreamPool;
  services: Pick<Services, 'start'>;
  watchedById: Map<string, WatchedServer>;
  /** Called when a server is being asked. */
  recordAsked(serverId: string): void;
  find(serverId: string): CatalogueServer | undefined;
  askTurns: TurnLimits | undefined;
  background: Background;
  /** Elapsed time. */
  time: Clock;
};

/**
 * Asks servers what they offer: each one once at a time, a few of thousands at a time, and on users' requests at most once
 * in 10 s.
 */
export class AskedServers {
  readonly #parts: AskParts;
  readonly #turns: AskTurns;
  #isStopped = false;

  constructor(parts: AskParts) {
    this.#parts = parts;
    this.#turns = createAskTurns({ clock: parts.time, timers: systemTimers, limits: parts.askTurns });
  }

  /** Resolves when the server was asked since this deployment of it. */
  discover(server: CatalogueServer): Promise<void> {
    const { find, time, recordAsked } = this.#parts;
    const watched = this.#watchedOf(server.id);
    if (watched.discovery && watched.discoveryOfMs === server.deployedAtMs) return watched.discovery;
    if (watched.discovery) return watched.discovery.then(() => this.#rediscover(server.id));
    watched.discoveryOfMs = server.deployedAtMs;
    watched.askedAtMs = time.now();
    watched.restartAtMs = undefined;
    const before = find(server.id)?.offersHash;
    const isWanted = () => !this.#isStopped && find(server.id)?.deployedAtMs === server.deployedAtMs;
    const ask = async () => {
      if (!isWanted()) return;
      watched.askedAtMs = time.now();
      recordAsked(server.id);
      await discoverServer(server, watched, { ...this.#parts, isWanted });
    };
    watched.discovery = inBackground(() => this.#askInTurn(server, ask)).finally(() => {
      watched.discovery = undefined;
      const hasNewLists = watched.hasNewListsWhileAsked;
      watched.hasNewListsWhileAsked = false;
      // Some servers announce their lists at each start, also when we start them to ask: without this comparison we
      // would ask them forever.
      const isOutdated = hasNewLists && find(server.id)?.offersHash !== before;
      if (isOutdated || watched.isToBeRetried) this.listChanged(server.id);
    });
    return watched.discovery;
  }

  /** Starts a discovery without waiting for it. */
  discoverLater(server: CatalogueServer): void {
    this.#parts.background.add(this.discover(server), 'a server could not be discovered');
  }

  /** Asks a server that announced changed lists, now or as soon as the 10 s are over. */
  listChanged(serverId: string): void {
    const { find, time } = this.#parts;
    if (this.#isStopped || !find(serverId)) return;
    const watched = this.#watchedOf(serverId);
    if (watched.refreshTimer) return;
    if (watched.discovery) {
      watched.hasNewListsWhileAsked = true;
      return;
    }
    const waitMs = Math.max(0, watched.askedAtMs + refreshIntervalMs - time.now());
    watched.refreshTimer = setTimeout(() => {
      watched.refreshTimer = undefined;
      const server = find(serverId);
      if (server && watched.isToBeRetried) this.#retry(server, watched);
      else if (server) this.discoverLater(server);
    }, waitMs);
  }

  /**
   * Asks these servers again on a user's request.
   * @param byOperator asks immediately in any case, and again after a discovery that is under way
   * @returns the ids of the servers that are asked
   */
  refresh(serverIds: readonly string[], byOperator: boolean): string[] {
    return serverIds.filter((id) => {
      const server = this.#parts.find(id);
      if (!server) return false;
      const watched = this.#watchedOf(id);
      const isEarly = !byOperator && this.#parts.time.now() - watched.askedAtMs < refreshIntervalMs;
      if (isEarly && server.status === 'connected') return false;
      if (!isEarly) this.#retry(server, watched, byOperator);
      else {
        watched.isToBeRetried = true;
        this.listChanged(id);
      }
      return true;
    });
  }

  /** Asks no server from now on. */
  stop(): void {
    this.#isStopped = true;
    this.#turns.stop();
  }

  #watchedOf(serverId: string): WatchedServer {
    return watchedOf(serverId, this.#parts.watchedById);
  }

  async #askInTurn(server: CatalogueServer, ask: () => Promise<void>): Promise<void> {
    const name = ownService(server)?.name;
    // a service that was deployed a moment ago is still starting, which is no failure
    if (name !== undefined) await this.#parts.services.start(name);
    const turn = await this.#turns.take();
    await ask().finally(turn.done);
  }

  async #rediscover(serverId: string): Promise<void> {
    const server = this.#parts.find(serverId);
    if (server && !this.#isStopped) await this.discover(server);
  }

  /** Gives a server that is paused or stopped after failures another chance, on a user's request. */
  #retry({ id, status }: CatalogueServer, watched: WatchedServer, byOperator = false): void {
    const again = async () => {
      clearTimeout(watched.refreshTimer);
      watched.refreshTimer = undefined;
      watched.isToBeRetried = false;
      this.#parts.pool.retryNow(id);
      await this.#rediscover(id);
    };
    // a discovery under way may have been refused already, or began before what the operator changed
    const before = status === 'connected' && !byOperator ? undefined : watched.discovery;
    if (before && watched.isToBeRetried) return;
    watched.isToBeRetried = before !== undefined;
    this.#parts.background.add(before ? before.then(again) : again(), 'a server could not be discovered');
  }
}
