import { sql } from 'kysely';
import { inBackground } from '#platform/db/background-work.ts';
import { createGathered } from '#platform/work/gathered.ts';
import type { HealthChange } from '../discovery/offer-store.ts';
import type { CatalogueDb } from '../tables.ts';

type Row = HealthChange & { serverId: string };

/** Rows of one statement: each has nine values, and a statement takes 65,535. */
const maxRows = 500;
/** How long checks that changed nothing wait for others. */
const restMs = 2_000;

/** Writes how servers are: many at once in one statement. */
export type HealthWriter = {
  /** Resolves when it is stored. */
  write(serverId: string, change: HealthChange): Promise<void>;
  /** A check has found nothing new: when it was is stored with others, some seconds later. */
  checked(serverId: string, change: HealthChange): void;
  stop(): Promise<void>;
};

export function createHealthWriter(db: CatalogueDb, onFailure: (error: unknown) => void): HealthWriter {
  const resting = new Map<string, HealthChange>();
  let timer: NodeJS.Timeout | undefined;
  const gathered = createGathered<Row>(
    async (rows) => {
      // the newest of each server: one statement cannot write a row twice
      const newest = new Map(rows.map((row) => [row.serverId, row]));
      await inBackground(() => upsert(db, [...newest.values()]));
    },
    { maxBatch: maxRows },
  );

  function writeResting(): void {
    timer = undefined;
    const rows = [...resting].map(([serverId, change]) => ({ serverId, ...change }));
    resting.clear();
    for (const row of rows) gathered.add(row).catch(onFailure);
  }

  return {
    write(serverId, change) {
      resting.delete(serverId);
      return gathered.add({ serverId, ...change });
    },
    checked(serverId, change) {
      resting.set(serverId, change);
      timer ??= setTimeout(writeResting, restMs).unref();
    },
    async stop() {
      clearTimeout(timer);
      writeResting();
      await gathered.flush();
    },
  };
}

const textOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

/** A server that was taken out meanwhile stays without a row. */
async function upsert(db: CatalogueDb, rows: readonly Row[]): Promise<void> {
  await db
    .insertInto('server_health')
    .columns(['server_id', 'status', 'detail', 'era', 'era_at', 'checked_at', 'status_since', 'discovered_at'])
    .expression(
      db
        .selectFrom(
          sql<{
            id: string;
            status: HealthChange['status'];
            detail: string | null;
            era: HealthChange['era'] | null;
            checked_at: Date;
            discovered_at: Date | null;
          }>`unnest(${rows.map((row) => row.serverId)}::text[], ${rows.map((row) => row.status)}::text[],
            ${rows.map((row) => row.detail ?? null)}::text[], ${rows.map((row) => row.era ?? null)}::text[],
            ${rows.map((row) => textOf(row.checkedAtMs))}::timestamptz[],
            ${rows.map((row) => textOf(row.discoveredAtMs))}::timestamptz[])`.as<'h'>(
            sql`h(id, status, detail, era, checked_at, discovered_at)`,
          ),
        )
        .innerJoin('manifest_versions as m', (join) =>
          join.onRef('m.server_id', '=', 'h.id').on('m.status', '=', 'deployed'),
        )
        .select(['h.id', 'h.status', 'h.detail', 'h.era'])
        .select(sql<Date | null>`case when h.era is null then null else h.checked_at end`.as('era_at'))
        .select(['h.checked_at', 'h.checked_at as status_since', 'h.discovered_at']),
    )
    .onConflict((conflict) =>
      conflict.column('server_id').doUpdateSet({
        status: sql`excluded.status`,
        detail: sql`excluded.detail`,
        era: sql`coalesce(excluded.era, server_health.era)`,
        era_at: sql`coalesce(excluded.era_at, server_health.era_at)`,
        checked_at: sql`excluded.checked_at`,
        discovered_at: sql`coalesce(excluded.discovered_at, server_health.discovered_at)`,
        // a server that is down for one reason after another has been down since the first
        status_since: sql`case when (server_health.status = 'connected') = (excluded.status = 'connected')
          then coalesce(server_health.status_since, excluded.status_since) else excluded.status_since end`,
      }),
    )
    .execute();
}
