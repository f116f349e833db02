import type { Database } from '#platform/db/database.ts';

const monthsAhead = 2;

/** Makes this month's and the next months' partitions of usage_events, so that no row falls into the default one. */
export async function ensurePartitions(db: Pick<Database, 'transaction'>, nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  const firstOf = (month: number) => new Date(Date.UTC(now.getUTCFullYear(), month, 1)).toISOString().slice(0, 10);
  await db.transaction(async (query) => {
    // "if not exists" alone does not help two replicas that start at the same moment
    await query(`select pg_advisory_xact_lock(hashtext('souk:usage-partitions'))`);
    for (let month = now.getUTCMonth(); month <= now.getUTCMonth() + monthsAhead; month++) {
      const name = `usage_events_${firstOf(month).slice(0, 7).replace('-', '_')}`;
      const range = `from ('${firstOf(month)}') to ('${firstOf(month + 1)}')`;
      await query(`create table if not exists ${name} partition of usage_events for values ${range}`);
    }
  });
}
