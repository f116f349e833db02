import type { Database } from '#platform/db/database.ts';

/**
 * Drops the partitions of usage_events whose every row is older than so many months. Answers their names.
 * @param months that single calls are kept, beside the current one
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
    // the names are ours, and the query above has matched them against their form
    for (const { name } of rows) await query(`drop table ${name}`);
    return rows.map(({ name }) => name);
  });
}
