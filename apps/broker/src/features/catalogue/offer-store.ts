import type { ServerStatus } from '@souk/contract/catalogue.ts';
import { sql } from 'kysely';
import type { ServerFeature } from './server-features.ts';
import type { Era } from './snapshot.ts';
import type { CatalogueDb, Reviewed, Tx } from './tables.ts';

export type HealthChange = {
  status: ServerStatus;
  detail: string | undefined;
  era: Era | undefined;
  checkedAtMs: number;
};

/** What only a discovery knows of a server. */
type DiscoveredFacts = {
  discoveredAtMs: number;
  instructions: string | undefined;
  features: readonly ServerFeature[] | undefined;
  leftOut: string | undefined;
};

export async function replaceCapabilities(tx: Tx, serverId: string, items: readonly Reviewed[]): Promise<void> {
  await tx.deleteFrom('capabilities').where('server_id', '=', serverId).execute();
  const rows = items.map((item, position) => ({
    server_id: serverId,
    kind: item.kind,
    name: item.name,
    position,
    exposed_name: item.exposedName,
    body: JSON.stringify(item.body),
    sha256: item.sha256,
    flagged: item.flagged,
    under_review: item.underReview,
    text_changed_at: item.textChangedAt,
    asks: item.asks ?? null,
  }));
  const rowsPerStatement = 500;
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    await tx
      .insertInto('capabilities')
      .values(rows.slice(start, start + rowsPerStatement))
      .execute();
  }
}

/** Exposed resource addresses that other servers use already. */
export async function findTakenUris(
  tx: CatalogueDb | Tx,
  serverId: string,
  uris: readonly string[],
): Promise<Set<string>> {
  if (uris.length === 0) return new Set();
  const rows = await tx
    .selectFrom('capabilities')
    .select('exposed_name')
    .where('server_id', '!=', serverId)
    .where('kind', 'in', ['resource', 'template'])
    .where('exposed_name', 'in', [...uris])
    .execute();
  return new Set(rows.map((row) => row.exposed_name));
}

export async function upsertHealth(
  db: CatalogueDb | Tx,
  serverId: string,
  change: HealthChange & Partial<DiscoveredFacts>,
): Promise<void> {
  const checkedAt = new Date(change.checkedAtMs);
  const discovered = change.discoveredAtMs === undefined ? undefined : new Date(change.discoveredAtMs);
  const told = {
    instructions: change.instructions ?? null,
    features: change.features ? [...change.features] : null,
    left_out: change.leftOut ?? null,
  };
  await db
    .insertInto('server_health')
    .values({
      server_id: serverId,
      status: change.status,
      detail: change.detail ?? null,
      era: change.era ?? null,
      era_at: change.era ? checkedAt : null,
      ...told,
      checked_at: checkedAt,
      status_since: checkedAt,
      discovered_at: discovered ?? null,
    })
    .onConflict((conflict) =>
      conflict.column('server_id').doUpdateSet({
        status: change.status,
        detail: change.detail ?? null,
        ...(change.era && { era: change.era, era_at: checkedAt }),
        checked_at: checkedAt,
        status_since: sql`case when server_health.status = ${change.status} then server_health.status_since else ${checkedAt}::timestamptz end`,
        ...(discovered && { discovered_at: discovered, ...told }),
      }),
    )
    .execute();
}

/** What the shop shows of a server changed without a discovery of our own. */
export async function markDiscovered(tx: Tx, serverId: string, at: Date): Promise<void> {
  await tx.updateTable('server_health').set({ discovered_at: at }).where('server_id', '=', serverId).execute();
}
