import type { Query } from '#platform/db/database.ts';

const monthsAhead = 2;

/** Makes this month's and the next months' partitions of usage_events, so that no row falls into the default one. */
export async function ensurePartitions(query: Query, nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  for (let ahead = 0; ahead <= monthsAhead; ahead++) {
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
    const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1, 1));
    const day = (date: Date) => date.toISOString().slice(0, 10);
    const name = `usage_events_${day(from).slice(0, 7).replace('-', '_')}`;
    await query(
      `create table if not exists ${name} partition of usage_events for values from ('${day(from)}') to ('${day(to)}')`,
    );
  }
}
