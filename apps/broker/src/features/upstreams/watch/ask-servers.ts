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
  /** Called when a server is about to be asked. */
  recordAsked(serverId: string): void;
  find(serverId: string): CatalogueServer | undefined;
  askTurns: TurnLimits | undefined;
  background: Background;
  /** Elapsed time. */
  time: Clock;
};

/**
 * Discovers what servers offer. A server has one discovery at a time, and all servers together a limited number. On
 * users' requests, a server is discovered at most once in 10 s.
 */
export class AskedServers {
  readonly #parts: AskParts;
  readonly #turns: AskTurns;
  #isStopped = false;

  constructor(parts: AskParts) {
    this.#parts = parts;
    this.#turns = createAskTurns({ clock: parts.time, timers: systemTimers, limits: parts.askTurns });
  }

  /** Discovers a server. Resolves when it was asked since this deployment. */
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
      // Some servers announce their lists at each start, even when a discovery starts them: without this comparison,
      // each discovery would cause another.
      const isOutdated = hasNewLists && find(server.id)?.offersHash !== before;
      if (isOutdated || watched.isToBeRetried) this.listChanged(server.id);
    });
    return watched.discovery;
  }

  discoverLater(server: CatalogueServer): void {
    this.#parts.background.add(this.discover(server), 'a server could not be discovered');
  }

  /** Discovers a server that announced changed lists, now or as soon as 10 s have passed since the last discovery. */
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
   * Discovers these servers again on a user's request.
   * @param byOperator starts immediately in any case, and once more after a discovery that is under way
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

  stop(): void {
    this.#isStopped = true;
    this.#turns.stop();
  }

  #watchedOf(serverId: string): WatchedServer {
    return watchedOf(serverId, this.#parts.watchedById);
  }

  async #askInTurn(server: CatalogueServer, ask: () => Promise<void>): Promise<void> {
    const name = ownService(server)?.name;
    // a service that was just deployed is still starting: that is not a failure
    if (name !== undefined) await this.#parts.services.start(name);
    const turn = await this.#turns.take();
    await ask().finally(turn.done);
  }

  async #rediscover(serverId: string): Promise<void> {
    const server = this.#parts.find(serverId);
    if (server && !this.#isStopped) await this.discover(server);
  }

  /** Retries a server on a user's request, even if it is paused or stopped after failures. */
  #retry({ id, status }: CatalogueServer, watched: WatchedServer, byOperator = false): void {
    const retry = async () => {
      clearTimeout(watched.refreshTimer);
      watched.refreshTimer = undefined;
      watched.isToBeRetried = false;
      this.#parts.pool.retryNow(id);
      await this.#rediscover(id);
    };
    // a discovery under way may have failed already, or began before the operator's change
    const before = status === 'connected' && !byOperator ? undefined : watched.discovery;
    if (before && watched.isToBeRetried) return;
    watched.isToBeRetried = before !== undefined;
    this.#parts.background.add(before ? before.then(retry) : retry(), 'a server could not be discovered');
  }
}
