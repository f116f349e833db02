import { inBackground } from '#platform/db/background-work.ts';
import type { UsageRow } from '#features/billing/index.ts';
import { keepFigures, type FigureParts } from './kept-figures.ts';

const dayMs = 86_400_000;
/** Servers that are remembered. Any beyond them count as unused, and are checked less often. */
const maxServers = 100_000;

export type RecentUse = ReturnType<typeof createRecentUse>;

/**
 * The servers that users used within a day, at this broker or another. The use at other brokers and before the start is
 * read from the sums of today and yesterday (UTC).
 */
export function createRecentUse(parts: FigureParts) {
  const { query, clock } = parts;
  /** The last use of each server here, the latest at the end. */
  const usedAtMs = new Map<string, number>();
  const stored = keepFigures<ReadonlySet<string>>(parts, {
    async read() {
      const yesterday = new Date(clock.now() - dayMs).toISOString().slice(0, 10);
      const { rows } = await inBackground(() => query<{ server_id: string }>(text, [yesterday, maxServers]));
      return new Set(rows.map((row) => row.server_id));
    },
    first: new Set(),
    failure: 'which servers are used cannot be read',
  });

  return {
    /** @param rows of calls that have just ended here */
    note(rows: readonly Pick<UsageRow, 'serverId'>[]): void {
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
    has: (serverId: string): boolean =>
      clock.now() - (usedAtMs.get(serverId) ?? Number.NEGATIVE_INFINITY) < dayMs || stored.last().has(serverId),
  };
}

const text = `
  select distinct server_id from usage_of_servers where day >= $1::date and server_id <> '' limit $2`;
