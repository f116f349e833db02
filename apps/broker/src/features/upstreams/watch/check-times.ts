import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';

/** Servers that people use are checked so often at most, all together; the interval grows with their number. */
const usedPerSecond = 100;
/** The same of servers that nobody used for a day. */
const unusedPerSecond = 50;
/** With the time of a check, a server that people use is found down within 15 s, however many there are. */
const longestUsed = 2;
/** After a rest of the whole process all are due: they are not checked at once. */
const mostAtOnce = 100;

/** When each server is checked next. */
export type CheckTimes = {
  /** The servers whose time has come, some at a time. From this moment their next interval runs. */
  due(servers: readonly CatalogueServer[]): CatalogueServer[];
  /** A server was asked otherwise: its interval begins anew. */
  asked(serverId: string): void;
  forget(serverId: string): void;
};

/**
 * Spreads the checks over their interval. Of few servers each is checked once an interval; of thousands those that nobody
 * used for a day are checked less often, so that the checks of all cost the same.
 * @param options.isUsed whether people used a server within a day
 * @param options.clock of elapsed time
 */
export function createCheckTimes(options: {
  intervalMs: number;
  isUsed: (serverId: string) => boolean;
  clock: Clock;
}): CheckTimes {
  const { intervalMs, isUsed, clock } = options;
  const checkedAtMs = new Map<string, number>();
  let usedIntervalMs = intervalMs;
  let unusedIntervalMs = intervalMs;

  return {
    due(servers) {
      const nowMs = clock.now();
      let used = 0;
      const due: CatalogueServer[] = [];
      for (const server of servers) {
        const isOfPeople = isUsed(server.id);
        if (isOfPeople) used++;
        const last = checkedAtMs.get(server.id) ?? Number.NEGATIVE_INFINITY;
        const isDue = nowMs - last >= (isOfPeople ? usedIntervalMs : unusedIntervalMs);
        if (!isDue || due.length === mostAtOnce) continue;
        checkedAtMs.set(server.id, nowMs);
        due.push(server);
      }
      usedIntervalMs = Math.min(longestUsed * intervalMs, Math.max(intervalMs, (1000 * used) / usedPerSecond));
      unusedIntervalMs = Math.max(intervalMs, (1000 * (servers.length - used)) / unusedPerSecond);
      return due;
    },
    asked: (serverId) => void checkedAtMs.set(serverId, clock.now()),
    forget: (serverId) => void checkedAtMs.delete(serverId),
  };
}
