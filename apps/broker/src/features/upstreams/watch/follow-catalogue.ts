import type { CatalogueServer } from '#features/catalogue/index.ts';
import { ownService } from '../pool/own-service.ts';
import { checkLater } from './check-health.ts';
import type { WatchParts } from './watch-parts.ts';
import { watchedOf } from './watched-server.ts';

/** Time within which a signal to several processes reaches all of them. */
const signalMs = 100;

/**
 * Discovers each new version as soon as it is deployed, and stops watching servers that were removed from the
 * catalogue.
 */
export function followCatalogue(known: readonly CatalogueServer[], parts: WatchParts): void {
  const { catalogue, pool, asked, state } = parts;
  const deployments = new Map(known.map(({ id, deployedAtMs }) => [id, deployedAtMs]));

  catalogue.onChange(({ byId }, changed, before) => {
    if (state.isStopped) return;
    for (const { id } of before) {
      if (byId.has(id)) continue;
      deployments.delete(id);
      forget(id, parts);
    }
    for (const server of changed) {
      if (deployments.get(server.id) === server.deployedAtMs) continue;
      deployments.set(server.id, server.deployedAtMs);
      pool.retryNow(server.id);
      asked.discoverLater(server);
    }
  });
}

/** Stops watching a server. Its calls under way finish. */
function forget(serverId: string, { watchedById, checkTimes, pool }: WatchParts): void {
  const watched = watchedById.get(serverId);
  clearTimeout(watched?.refreshTimer);
  clearTimeout(watched?.restartTimer);
  watchedById.delete(serverId);
  checkTimes.forget(serverId);
  pool.retireServer(serverId);
}

/** Checks the servers of a demo service that came up or went down. */
export function serviceChanged(name: string, parts: WatchParts): void {
  const { catalogue, pool, services, background, state } = parts;
  if (state.isStopping) return;
  for (const server of catalogue.snapshot().servers.filter((each) => ownService(each)?.name === name)) {
    if (services.address(name) === undefined) {
      // it restarts at another address, so connections that are still open would fail from now on
      background.add(pool.dropAll(server.id), 'the connections to a service could not be closed');
      unlessStopping(() => checkLater(server, parts), parts);
    } else {
      pool.retryNow(server.id);
      checkLater(server, parts);
    }
  }
}

/** Stores that a shared connection was lost, and checks its server after the restart delay. */
export function connectionLost(serverId: string, reason: string, parts: WatchParts): void {
  const { catalogue, background, find, restartDelayMs, state, time } = parts;
  if (state.isStopping || !find(serverId)) return;
  const detail = `The server ended the connection (${reason})`;
  const health = { status: 'disconnected' as const, detail, era: undefined };
  unlessStopping(
    () => background.add(catalogue.setHealth(serverId, health), 'the status of a server could not be stored'),
    parts,
  );
  const watched = watchedOf(serverId, parts.watchedById);
  watched.restartAtMs = time.now() + restartDelayMs;
  clearTimeout(watched.restartTimer);
  watched.restartTimer = setTimeout(() => {
    watched.restartTimer = undefined;
    const server = find(serverId);
    if (server) checkLater(server, parts);
  }, restartDelayMs);
}

/**
 * Acts after a short delay, unless the broker is stopping: a signal to a process group ends our child processes before
 * it reaches us.
 */
function unlessStopping(act: () => void, { state, restartDelayMs }: WatchParts): void {
  setTimeout(
    () => {
      if (!state.isStopping) act();
    },
    Math.min(signalMs, restartDelayMs / 2),
  ).unref();
}
