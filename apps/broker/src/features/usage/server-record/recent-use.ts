import type { Clock } from '#platform/clock.ts';
import { inBackground } from '#platform/db/background-work.ts';
import type { Query } from '#platform/db/database.ts';
import { createKeptValue } from '#platform/work/kept-value.ts';
import type { Log } from '#platform/log.ts';
import type { UsageRow } from '#features/billing/index.ts';

const dayMs = 86_400_000;
/** How often the use at other brokers is read. */
const keptMs = 60 * 60_000;
const failedMs = 5 * 60_000;
/** Servers that are remembered. Any beyond them count as not used, and are checked less often. */
const maxServers = 100_000;

/** Which servers people used within a day, at this broker or another. */
export type RecentUse = {
  /** Rows of calls that have just ended here. */
  note(rows: readonly Pick<UsageRow, 'serverId'>[]): void;
  has(serverId: string): boolean;
};

/** Other brokers and the time before the start are read from the sums by day (UTC), today's and yesterday's, once an hour. */
export function createRecentUse({ query, clock, log }: { query: Query; clock: Clock; log: Log }): RecentUse {
  /** When people used servers here last; a server that was used again stands at the end. */
  const usedAtMs = new Map<string, number>();
  const stored = createKeptValue<ReadonlySet<string>>({
    async read() {
      const yesterday = new Date(clock.now() - dayMs).toISOString().slice(0, 10);
      const { rows } = await inBackground(() => query<{ server_id: string }>(text, [yesterday, maxServers]));
      return new Set(rows.map((row) => row.server_id));
    },
    first: new Set(),
    keptMs,
    failedMs,
    clock,
    onFailure: (error) => log.warn({ err: error }, 'which servers are used cannot be read'),
  });

  return {
    note(rows) {
      for (const { serverId } of rows) {
        if (serverId === undefined) continue;
        usedAtMs.delete(serverId);
        usedAtMs.set(serverId, clock.now());
      }
      for (const [serverId, atMs] of usedAtMs) {
        if (usedAtMs.size <= maxServers && clock.now() - atMs < dayMs) break;
        usedAtMs.delete(serverId);
      }
    },
    has: (serverId) =>
      clock.now() - (usedAtMs.get(serverId) ?? Number.NEGATIVE_INFINITY) < dayMs || stored.last().has(serverId),
  };
}

const text = `
  select distinct server_id from usage_of_servers where day >= $1::date and server_id <> '' limit $2`;
