import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';

/** Checks per second of all servers in use; the interval grows with their number. */
const usedPerSecond = 100;
/** Checks per second of all servers unused for a day. */
const unusedPerSecond = 50;
/**
 * Longest interval of a server in use, as a multiple of the check interval: with the timeout of a check, a failure is
 * found within 15 s.
 */
const maxUsedFactor = 2;
/** Checks begun together at most: after a pause of the whole process, every server is due. */
const maxAtOnce = 100;

/**
 * Decides when each server is checked. Spreads the checks over their interval. With few servers, each is checked once
 * per interval; with thousands, those unused for a day are checked less often, so that the total cost stays the same.
 * @param options.isUsed whether a user called the server within a day
 * @param options.clock elapsed time
 */
export function createCheckTimes(options: { intervalMs: number; isUsed: (serverId: string) => boolean; clock: Clock }) {
  const { intervalMs, isUsed, clock } = options;
  const checkedAtMs = new Map<string, number>();
  let usedIntervalMs = intervalMs;
  let unusedIntervalMs = intervalMs;

  return {
    /** Returns servers that are due, up to a limit, and starts their next interval. */
    due(servers: readonly CatalogueServer[]): CatalogueServer[] {
      const nowMs = clock.now();
      let used = 0;
      const due: CatalogueServer[] = [];
      for (const server of servers) {
        const isInUse = isUsed(server.id);
        if (isInUse) used++;
        const last = checkedAtMs.get(server.id) ?? Number.NEGATIVE_INFINITY;
        const isDue = nowMs - last >= (isInUse ? usedIntervalMs : unusedIntervalMs);
        if (!isDue || due.length === maxAtOnce) continue;
        checkedAtMs.set(server.id, nowMs);
        due.push(server);
      }
      usedIntervalMs = Math.min(maxUsedFactor * intervalMs, Math.max(intervalMs, (1000 * used) / usedPerSecond));
      unusedIntervalMs = Math.max(intervalMs, (1000 * (servers.length - used)) / unusedPerSecond);
      return due;
    },
    /** Restarts the interval of a server that was asked for another reason. */
    asked: (serverId: string): void => void checkedAtMs.set(serverId, clock.now()),
    forget: (serverId: string): void => void checkedAtMs.delete(serverId),
  };
}

export type CheckTimes = ReturnType<typeof createCheckTimes>;
