import type { Manifest } from '@souk/contract/manifest.ts';
import { definitionHash } from './definition-hash.ts';
import type { CatalogueItem, CatalogueServer } from './snapshot.ts';
import type { CapabilityKind, CatalogueDb } from './tables.ts';

const extensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;

/** The stored icon, while it is still the one of the manifest. */
function iconOf(row: {
  body: Manifest;
  icon_source: string | null;
  icon_sha256: string | null;
  icon_type: keyof typeof extensions | null;
  icon_at: Date | null;
}): CatalogueServer['icon'] {
  if (!row.icon_type || !row.icon_at || row.icon_source !== row.body.icon) return undefined;
  return { path: `/icons/${row.icon_sha256}.${extensions[row.icon_type]}`, fetchedAtMs: row.icon_at.getTime() };
}

/**
 * Reads the deployed servers with their capabilities and health.
 * @param only ids; by default all of them
 */
export async function readDeployed(db: CatalogueDb, only?: ReadonlySet<string>): Promise<CatalogueServer[]> {
  const ids = only && [...only];
  const servers = await db
    .selectFrom('manifest_versions as m')
    .innerJoin('servers as s', 's.id', 'm.server_id')
    .leftJoin('server_health as h', 'h.server_id', 's.id')
    .select([
      's.id',
      's.slug',
      's.approved_version',
      'm.version',
      'm.body',
      'm.deployed_at',
      'h.status',
      'h.detail',
      'h.era',
      'h.era_at',
    ])
    .leftJoin('server_icons as i', 'i.server_id', 's.id')
    .select([
      'i.source as icon_source',
      'i.sha256 as icon_sha256',
      'i.content_type as icon_type',
      'i.fetched_at as icon_at',
    ])
    .select(['h.instructions', 'h.features', 'h.left_out', 'h.discovered_at'])
    .where('m.status', '=', 'deployed')
    .$if(ids !== undefined, (query) => query.where('m.server_id', 'in', ids ?? []))
    .execute();
  const capabilities = await db
    .selectFrom('capabilities as c')
    .select([
      'server_id',
      'kind',
      'name',
      'exposed_name',
      'body',
      'sha256',
      'flagged',
      'under_review',
      'text_changed_at',
      'asks',
    ])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('tool_changes as t')
          .whereRef('t.server_id', '=', 'c.server_id')
          .whereRef('t.tool', '=', 'c.name')
          .whereRef('t.after_sha256', '=', 'c.sha256')
          .where('t.status', '=', 'approved'),
      ).as('change_approved'),
    )
    .$if(ids !== undefined, (query) => query.where('c.server_id', 'in', ids ?? []))
    .orderBy('server_id')
    .orderBy('position')
    .execute();
  const byServer = Map.groupBy(capabilities, (row) => row.server_id);
  return servers.map((row) => {
    const manifest = row.body;
    const costs = new Map(Object.entries(manifest.billing?.toolCosts ?? {}));
    const pick = (kind: CapabilityKind, underReview = false): CatalogueItem[] =>
      (byServer.get(row.id) ?? [])
        .filter((item) => item.kind === kind && item.under_review === underReview)
        .map((item) => ({
          serverId: row.id,
          name: item.name,
          exposedName: item.exposed_name,
          definition: item.body,
          sha256: item.sha256,
          creditCost: kind === 'tool' ? (costs.get(item.name) ?? 0) : 0,
          underReview: item.under_review,
          approved: row.approved_version === row.version || Boolean(item.change_approved),
          flagged: item.flagged,
          asks: item.asks ?? undefined,
          textChangedAtMs: item.text_changed_at?.getTime(),
        }));
    return {
      id: row.id,
      slug: row.slug,
      manifest,
      status: row.status ?? 'disconnected',
      statusDetail: row.detail ?? undefined,
      era: row.era && row.era_at ? { verdict: row.era, atMs: row.era_at.getTime() } : undefined,
      instructions: row.instructions ?? undefined,
      features: row.features ?? undefined,
      icon: iconOf(row),
      leftOut: row.left_out ?? undefined,
      tools: pick('tool'),
      toolsUnderReview: pick('tool', true),
      prompts: pick('prompt'),
      resources: pick('resource'),
      templates: pick('template'),
      offersHash: definitionHash(
        Object.fromEntries(
          (byServer.get(row.id) ?? []).map((item) => [
            `${item.kind} ${item.exposed_name}`,
            `${item.sha256} ${item.under_review} ${item.asks ?? ''}`,
          ]),
        ),
      ),
      discoveredAtMs: row.discovered_at?.getTime(),
      deployedAtMs: row.deployed_at?.getTime() ?? 0,
    };
  });
}
