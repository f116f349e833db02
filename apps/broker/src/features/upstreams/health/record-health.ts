import { isDown, type Catalogue, type CatalogueServer } from '#features/catalogue/index.ts';
import { createBackground } from '#platform/work/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createHealthDays } from './health-days.ts';
import { logServerChanges, type FailureOf } from './log-server-changes.ts';

const flushIntervalMs = 60_000;

export type HealthRecord = Pick<ReturnType<typeof createHealthDays>, 'read'> & { stop(): Promise<void> };

/**
 * Follows the health of servers: logs each change, and counts per day for the shop. At each check interval, counts
 * whether a server was up since the last count, so that a hanging check counts too.
 */
export function recordHealth(options: {
  catalogue: Catalogue;
  failureOf: FailureOf;
  query: Query;
  intervalMs: number;
  clock: Clock;
  log: Log;
}): HealthRecord {
  const { catalogue, log } = options;
  const days = createHealthDays(options);
  const changes = logServerChanges(options);
  const background = createBackground(log);
  /** Servers that were down since the last count: an outage may begin and end between two counts. */
  const wereDown = new Set<string>();
  const stopFollowing = catalogue.onChange((_, changed) => {
    for (const server of changed) if (isDown(server)) wereDown.add(server.id);
  });

  const counting = setInterval(() => {
    changes.look();
    const asked = catalogue.snapshot().servers.filter((server) => server.status === 'connected' || isDown(server));
    const isUp = (server: CatalogueServer) => server.status === 'connected' && !wereDown.has(server.id);
    days.count(asked.map((server) => ({ serverId: server.id, isUp: isUp(server) })));
    wereDown.clear();
  }, options.intervalMs).unref();
  const writing = setInterval(() => {
    background.add(days.flush(), 'the health of servers cannot be written');
  }, flushIntervalMs).unref();

  return {
    read: days.read,
    async stop() {
      clearInterval(counting);
      clearInterval(writing);
      changes.stop();
      stopFollowing();
      await background.flush();
      await days.flush();
    },
  };
}
