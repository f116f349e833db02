import { expect, test } from 'vitest';
import type { Database, Query } from '#platform/db/database.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { migrations } from '../../migrations.ts';
import { ensurePartitions } from './ensure-partitions.ts';

// separate years: the embedded database keeps its tables from one test to the next

/** Simulates a database server whose sessions begin in this time zone. */
const inZone = (db: Database, zone: string): Pick<Database, 'transaction'> => ({
  transaction: <T>(work: (query: Query) => Promise<T>) =>
    db.transaction(async (query) => {
      await query(`set local time zone '${zone}'`);
      await query(`set local datestyle = 'SQL, DMY'`);
      return work(query);
    }),
});

async function bounds(db: Database): Promise<Record<string, string>> {
  return db.transaction(async (query) => {
    await query(`set local time zone 'UTC'`);
    const { rows } = await query<{ name: string; bounds: string }>(
      `select relname as name, pg_get_expr(relpartbound, oid) as bounds from pg_class
        where oid in (select inhrelid from pg_inherits where inhparent = 'usage_events'::regclass)
          and relname <> 'usage_events_default' order by 1`,
    );
    return Object.fromEntries(rows.map((row) => [row.name, row.bounds.replaceAll(/FOR VALUES | 00:00:00\+00/g, '')]));
  });
}

describeOnDatabases('partitions of usage rows', migrations, (open) => {
  test('are months of UTC in any time zone of the database, which may change', async () => {
    const db = await open();
    await ensurePartitions(inZone(db, 'Pacific/Kiritimati'), Date.UTC(2026, 9, 31));
    await ensurePartitions(inZone(db, 'America/Los_Angeles'), Date.UTC(2026, 11, 31));
    await ensurePartitions(inZone(db, 'Asia/Kathmandu'), Date.UTC(2027, 0, 1));
    expect(await bounds(db)).toMatchObject({
      usage_events_2026_10: `FROM ('2026-10-01') TO ('2026-11-01')`,
      usage_events_2026_11: `FROM ('2026-11-01') TO ('2026-12-01')`,
      usage_events_2026_12: `FROM ('2026-12-01') TO ('2027-01-01')`,
      usage_events_2027_01: `FROM ('2027-01-01') TO ('2027-02-01')`,
      usage_events_2027_02: `FROM ('2027-02-01') TO ('2027-03-01')`,
      usage_events_2027_03: `FROM ('2027-03-01') TO ('2027-04-01')`,
    });
  });

  test.each([
    ['+14', 2028, '2028-10-31 10:00:00+00'],
    ['-11', 2030, '2030-11-01 11:00:00+00'],
  ])('follow one of a zone %s without a gap or an overlap', async (offset, year, end) => {
    const db = await open();
    await db.query(
      `create table usage_events_${year}_10 partition of usage_events
        for values from ('${year}-10-01 00:00:00${offset}') to ('${year}-11-01 00:00:00${offset}')`,
    );
    await ensurePartitions(inZone(db, 'Asia/Kathmandu'), Date.UTC(year, 9, 31));
    expect(await bounds(db)).toMatchObject({
      [`usage_events_${year}_11`]: `FROM ('${end}') TO ('${year}-12-01')`,
      [`usage_events_${year}_12`]: `FROM ('${year}-12-01') TO ('${year + 1}-01-01')`,
    });
  });
});
