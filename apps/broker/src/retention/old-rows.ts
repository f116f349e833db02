import type { Config } from '#platform/config.ts';
import type { Database, Query } from '#platform/db/database.ts';

/** Rows per statement, so that other statements do not wait long. */
const batchRows = 5_000;
/** Batches of a table per run of the job. The next run continues. */
const mostBatches = 200;

export type OldRows = {
  table: string;
  /** SQL condition. The table's alias is `old`, and $1 is `limit`. */
  where: string;
  /** A time or date as text, or a count. */
  limit: string | number;
  /** The setting that the table's trigger requires. */
  permits?: readonly [name: string, value: string];
};

/** Returns the first day of the month that was `months` months ago (UTC). */
function monthsAgo(nowMs: number, months: number): Date {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));
}

/** Lists rows that expire by age or number. Calls expire by whole months (usage/drop-old-partitions.ts). */
export function oldRows({ usageMonths, auditYears, versionsKept }: Config['retention'], nowMs: number): OldRows[] {
  const day = monthsAgo(nowMs, usageMonths).toISOString().slice(0, 10);
  const auditSince = monthsAgo(nowMs, 12 * auditYears).toISOString();
  const dayTables = ['usage_daily', 'usage_servers', 'usage_server_days', 'usage_days', 'usage_people_days'];
  return [
    ...dayTables.map((table) => ({ table, where: 'old.day < $1::date', limit: day })),
    {
      table: 'audit_log',
      where: 'old.at < $1::timestamptz',
      limit: auditSince,
      permits: ['souk.audit_since', auditSince],
    },
    {
      table: 'manifest_versions',
      // versions that are pinned, or whose tools were approved, are still in use
      where: `old.status = 'superseded'
        and not exists (select from servers s where s.id = old.server_id and old.version in (s.pinned_version, s.approved_version))
        and $1::int <= (select count(*) from manifest_versions newer where newer.server_id = old.server_id
          and newer.status = 'superseded' and (newer.ended_at, newer.version) > (old.ended_at, old.version))`,
      limit: versionsKept,
    },
  ];
}

/** @returns the number of deleted rows */
export async function removeOldRows(db: Pick<Database, 'transaction'>, old: OldRows): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < mostBatches; batch++) {
    const rows = await db.transaction((query) => removeBatch(query, old));
    removed += rows;
    if (rows < batchRows) break;
  }
  return removed;
}

async function removeBatch(query: Query, { table, where, limit, permits }: OldRows): Promise<number> {
  if (permits) await query('select set_config($1, $2, true)', [...permits]);
  const { affectedRows } = await query(
    `delete from ${table} where ctid = any(array(select old.ctid from ${table} old where ${where} limit ${batchRows}))`,
    [limit],
  );
  return affectedRows;
}
