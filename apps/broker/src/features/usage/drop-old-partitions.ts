import type { Database } from '#platform/db/database.ts';

/**
 * Drops the partitions of usage_events that only have rows older than `months`.
 * @param months how many months single calls are kept, in addition to the current one
 * @returns the names of the dropped partitions
 */
export async function dropOldPartitions(
  db: Pick<Database, 'transaction'>,
  nowMs: number,
  months: number,
): Promise<string[]> {
  const now = new Date(nowMs);
  const oldest = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));
  const oldestName = `usage_events_${oldest.toISOString().slice(0, 7).replace('-', '_')}`;
  return db.transaction(async (query) => {
    await query(`select pg_advisory_xact_lock(hashtext('souk:usage-partitions'))`);
    const { rows } = await query<{ name: string }>(
      `select relid::regclass::text as name from pg_partition_tree('usage_events')
        where isleaf and relid::regclass::text ~ '^usage_events_[0-9]{4}_[0-9]{2}$' and relid::regclass::text < $1
        order by 1`,
      [oldestName],
    );
    // the names are ours, and the query above has checked their form
    for (const { name } of rows) await query(`drop table ${name}`);
    return rows.map(({ name }) => name);
  });
}
