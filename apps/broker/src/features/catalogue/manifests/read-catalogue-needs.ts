import { shownNeeds, type Needs } from '@souk/contract/admin/overview.ts';
import type { Query } from '#platform/db/database.ts';
import { hiddenTools, isDown, type CatalogueSnapshot } from '../snapshot/snapshot.ts';
import { presentFailure } from '../health/present-failure.ts';

type CatalogueNeeds = Pick<Needs, 'toolsUnderReview' | 'stagedVersions' | 'failingServers'>;

/**
 * Finds servers and tools that need an operator's attention.
 * @param parts.failureOf returns why a server fails, for operators
 */
export async function readCatalogueNeeds(parts: {
  query: Query;
  snapshot: CatalogueSnapshot;
  failureOf(serverId: string): string | undefined;
}): Promise<CatalogueNeeds> {
  const { query, snapshot, failureOf } = parts;
  const reviewed = snapshot.servers
    .map((server) => ({ server, tools: hiddenTools(server).waiting.length }))
    .filter(({ tools }) => tools > 0);
  const down = snapshot.servers.filter(isDown);
  const shownDown = down.slice(0, shownNeeds);
  const [staged, since] = await Promise.all([
    query<{ id: string; name: string; version: string; total: number }>(
      `select server_id as id, name, version, (count(*) over ())::int as total from manifest_versions
       where status = 'staging' and origin = 'admin' order by server_id collate "C" limit ${shownNeeds}`,
    ),
    query<{ server_id: string; status_since: Date | null }>(
      'select server_id, status_since from server_health where server_id = any($1::text[])',
      [shownDown.map(({ id }) => id)],
    ),
  ]);
  const sinceOf = new Map(since.rows.map((row) => [row.server_id, row.status_since]));
  return {
    toolsUnderReview: {
      total: reviewed.reduce((sum, { tools }) => sum + tools, 0),
      items: reviewed.slice(0, shownNeeds).map(({ server: { id, manifest }, tools }) => ({
        serverId: id,
        name: manifest.name,
        tools,
      })),
    },
    stagedVersions: {
      total: staged.rows[0]?.total ?? 0,
      items: staged.rows.map(({ id, name, version }) => ({ serverId: id, name, version })),
    },
    failingServers: {
      total: down.length,
      items: shownDown.map(({ id, manifest, statusDetail }) => ({
        serverId: id,
        name: manifest.name,
        ...presentFailure({ statusDetail }, failureOf(id)),
        since: sinceOf.get(id)?.toISOString() ?? null,
      })),
    },
  };
}
