import { sql } from 'kysely';
import { arrayLiteral } from '#platform/db/array-literal.ts';
import { inBackground } from '#platform/db/background-work.ts';
import { createGathered } from '#platform/work/gathered.ts';
import type { HealthChange } from '../discovery/capability-store.ts';
import type { CatalogueDb } from '../tables.ts';

type Row = HealthChange & { serverId: string };

/** Rows per statement: each has nine values, and a statement takes 65,535. */
const maxRows = 500;
/** Time for which unchanged checks are collected before they are written. */
const delayMs = 2_000;

/** Writes the health of servers, many in one statement. */
export function createHealthWriter(db: CatalogueDb, onFailure: (error: unknown) => void) {
  const delayed = new Map<string, HealthChange>();
  let timer: NodeJS.Timeout | undefined;
  const gathered = createGathered<Row>(
    async (rows) => {
      // the newest per server: one statement cannot write a row twice
      const newest = new Map(rows.map((row) => [row.serverId, row]));
      await inBackground(() => upsert(db, [...newest.values()]));
    },
    { maxBatch: maxRows },
  );

  function writeDelayed(): void {
    timer = undefined;
    const rows = [...delayed].map(([serverId, change]) => ({ serverId, ...change }));
    delayed.clear();
    for (const row of rows) gathered.add(row).catch(onFailure);
  }

  return {
    write(serverId: string, change: HealthChange): Promise<void> {
      delayed.delete(serverId);
      return gathered.add({ serverId, ...change });
    },
    /** Stores the time of an unchanged check together with others, 2 s later. */
    checked(serverId: string, change: HealthChange): void {
      delayed.set(serverId, change);
      timer ??= setTimeout(writeDelayed, delayMs).unref();
    },
    async stop(): Promise<void> {
      clearTimeout(timer);
      writeDelayed();
      await gathered.flush();
    },
  };
}

const timeText = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());

/** Writes nothing for servers that were undeployed meanwhile. */
async function upsert(db: CatalogueDb, rows: readonly Row[]): Promise<void> {
  const column = (pick: (row: Row) => string | undefined) => arrayLiteral(rows.map(pick));
  await sql`
    insert into server_health (server_id, status, detail, era, era_at, checked_at, status_since, discovered_at)
    select h.id, h.status, h.detail, h.era, case when h.era is null then null else h.checked_at end, h.checked_at,
      h.checked_at, h.discovered_at
    from unnest(
      ${column(({ serverId }) => serverId)}::text[], ${column(({ status }) => status)}::text[],
      ${column(({ detail }) => detail)}::text[], ${column(({ era }) => era)}::text[],
      ${column(({ checkedAtMs }) => timeText(checkedAtMs))}::timestamptz[],
      ${column(({ discoveredAtMs }) => timeText(discoveredAtMs))}::timestamptz[]
    ) as h (id, status, detail, era, checked_at, discovered_at)
      join manifest_versions m on m.server_id = h.id and m.status = 'deployed'
    on conflict (server_id) do update set status = excluded.status, detail = excluded.detail,
      era = coalesce(excluded.era, server_health.era), era_at = coalesce(excluded.era_at, server_health.era_at),
      checked_at = excluded.checked_at,
      discovered_at = coalesce(excluded.discovered_at, server_health.discovered_at),
      -- a server that is down for one reason after another has been down since the first
      status_since = case when (server_health.status = 'connected') = (excluded.status = 'connected')
        then coalesce(server_health.status_since, excluded.status_since) else excluded.status_since end`.execute(db);
}
