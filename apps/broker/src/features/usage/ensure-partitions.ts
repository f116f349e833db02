import type { Database } from '#platform/db/database.ts';

const monthsAhead = 2;

/**
 * Creates the partitions of usage_events for this month and the next ones, so that no row falls into the default partition.
 * Months are in UTC, in any time zone of the database. A partition begins where the previous one ends, so that partitions by
 * months of another zone leave neither a gap nor an overlap.
 */
export async function ensurePartitions(db: Pick<Database, 'transaction'>, nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  const firstOf = (month: number) => new Date(Date.UTC(now.getUTCFullYear(), month, 1)).toISOString();
  const nameOf = (month: number) => `usage_events_${firstOf(month).slice(0, 7).replace('-', '_')}`;
  await db.transaction(async (query) => {
    // "if not exists" alone does not protect two replicas that start at the same moment
    await query(`select pg_advisory_xact_lock(hashtext('souk:usage-partitions'))`);
    await query(`set local datestyle = 'ISO'`);
    const { rows } = await query<{ name: string; end: string | null }>(
      `select relname as name, substring(pg_get_expr(relpartbound, oid) from $$TO \\('(.*)'\\)$$) as end
        from pg_class where oid in (select inhrelid from pg_inherits where inhparent = 'usage_events'::regclass)`,
    );
    const ends = new Map(rows.map(({ name, end }) => [name, end]));
    for (let month = now.getUTCMonth(); month <= now.getUTCMonth() + monthsAhead; month++) {
      if (ends.has(nameOf(month))) continue;
      const range = `from ('${ends.get(nameOf(month - 1)) ?? firstOf(month)}') to ('${firstOf(month + 1)}')`;
      await query(`create table ${nameOf(month)} partition of usage_events for values ${range}`);
      ends.set(nameOf(month), firstOf(month + 1));
    }
  });
}
