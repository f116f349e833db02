import type { ServerStatus } from '@souk/contract/catalogue/catalogue.ts';
import { sql } from 'kysely';
import type { ServerFeature } from '../snapshot/server-features.ts';
import type { Era } from '../snapshot/snapshot.ts';
import type { CatalogueDb, Reviewed, Tx } from '../tables.ts';

export type HealthChange = {
  status: ServerStatus;
  detail: string | undefined;
  era: Era | undefined;
  checkedAtMs: number;
  discoveredAtMs?: number | undefined;
};

type DiscoveredFacts = {
  era: Era | undefined;
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

/** Finds those of these resource addresses that other servers already expose. */
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

/** Stores that a discovery succeeded. */
export async function storeDiscovered(
  tx: Tx,
  serverId: string,
  { era, instructions, features, leftOut }: DiscoveredFacts,
  at: Date,
): Promise<void> {
  const facts = {
    status: 'connected' as const,
    detail: null,
    instructions: instructions ?? null,
    features: features ? [...features] : null,
    left_out: leftOut ?? null,
    answer_sha256: null,
    checked_at: at,
    discovered_at: at,
  };
  await tx
    .insertInto('server_health')
    .values({ server_id: serverId, ...facts, era: era ?? null, era_at: era ? at : null, status_since: at })
    .onConflict((conflict) =>
      conflict.column('server_id').doUpdateSet({
        ...facts,
        ...(era && { era, era_at: at }),
        status_since: sql`case when server_health.status = 'connected' then server_health.status_since else ${at}::timestamptz end`,
      }),
    )
    .execute();
}

/** Records that the shop's list changed without a discovery. */
export async function markDiscovered(tx: Tx, serverId: string, at: Date): Promise<void> {
  await tx
    .updateTable('server_health')
    .set({ discovered_at: at, answer_sha256: null })
    .where('server_id', '=', serverId)
    .execute();
}
