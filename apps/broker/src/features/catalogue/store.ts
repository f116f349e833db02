import type { Manifest } from '@souk/contract/manifest.ts';
import type { ServerStatus } from '@souk/contract/catalogue.ts';
import { sql, type Selectable } from 'kysely';
import { definitionHash } from './definition-hash.ts';
import type { ServerFeature } from './server-features.ts';
import type { CatalogueItem, CatalogueServer, Era } from './snapshot.ts';
import type { CapabilityKind, CatalogueDb, CatalogueTables, Reviewed, Tx } from './tables.ts';

export type ManifestRow = {
  serverId: string;
  version: string;
  status: 'staging' | 'deployed' | 'superseded';
  sha256: string;
  origin: 'bundled' | 'admin';
  body: Manifest;
  /** Undefined when it was never live. */
  deployedAt: Date | undefined;
};

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

export async function findManifestVersions(db: CatalogueDb, serverId: string): Promise<ManifestRow[]> {
  const rows = await db.selectFrom('manifest_versions').selectAll().where('server_id', '=', serverId).execute();
  return rows.map(toManifestRow);
}

/** Of each server what is deployed and what is staged, or of one without either the version that was live last. */
export async function findCurrentVersions(db: CatalogueDb): Promise<ManifestRow[]> {
  const rows = await db
    .selectFrom('manifest_versions')
    .selectAll()
    .distinctOn(['server_id', 'status'])
    .orderBy('server_id')
    .orderBy('status')
    .orderBy(sql`deployed_at desc nulls last`)
    .orderBy('created_at', 'desc')
    .execute();
  const current = new Set(rows.filter(({ status }) => status !== 'superseded').map((row) => row.server_id));
  return rows.filter((row) => row.status !== 'superseded' || !current.has(row.server_id)).map(toManifestRow);
}

function toManifestRow(row: Selectable<CatalogueTables['manifest_versions']>): ManifestRow {
  return {
    serverId: row.server_id,
    version: row.version,
    status: row.status,
    sha256: row.sha256,
    origin: row.origin,
    body: row.body,
    deployedAt: row.deployed_at ?? undefined,
  };
}

/** Adds the server's row if it is new. Answers its slug, which never changes afterwards. */
export async function ensureServer(tx: Tx, id: string, wantedSlug: string): Promise<string> {
  const known = await tx.selectFrom('servers').select('slug').where('id', '=', id).executeTakeFirst();
  if (known) return known.slug;
  for (let attempt = 1; ; attempt++) {
    const suffix = attempt === 1 ? '' : String(attempt);
    const slug = `${wantedSlug.slice(0, 12 - suffix.length)}${suffix}`;
    const inserted = await tx
      .insertInto('servers')
      .values({ id, slug })
      .onConflict((conflict) => conflict.doNothing())
      .returning('slug')
      .executeTakeFirst();
    if (inserted) return inserted.slug;
  }
}

/** Puts a version in staging, in place of the one before. */
export async function insertStaged(
  tx: Tx,
  manifest: Manifest,
  sha256: string,
  by: { origin: 'bundled' | 'admin'; userId?: string },
): Promise<void> {
  await tx
    .updateTable('manifest_versions')
    .set({ status: 'superseded' })
    .where('server_id', '=', manifest.id)
    .where('status', '=', 'staging')
    .execute();
  await tx
    .insertInto('manifest_versions')
    .values({
      server_id: manifest.id,
      version: manifest.version,
      status: 'staging',
      body: JSON.stringify(manifest),
      sha256,
      origin: by.origin,
      created_by: by.userId ?? null,
      deployed_at: null,
    })
    .execute();
}

/** The named version becomes the deployed one; the last one is kept as superseded. False when there is no such version. */
export async function markDeployed(tx: Tx, serverId: string, version: string, at: Date): Promise<boolean> {
  await tx
    .updateTable('manifest_versions')
    .set({ status: 'superseded' })
    .where('server_id', '=', serverId)
    .where('status', '=', 'deployed')
    .where('version', '!=', version)
    .execute();
  const updated = await tx
    .updateTable('manifest_versions')
    .set({ status: 'deployed', deployed_at: at })
    .where('server_id', '=', serverId)
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst();
  return updated !== undefined;
}

/** The deployed version is superseded by none; what the server offered and its health are forgotten. */
export async function markUndeployed(tx: Tx, serverId: string): Promise<void> {
  await tx
    .updateTable('manifest_versions')
    .set({ status: 'superseded' })
    .where('server_id', '=', serverId)
    .where('status', '=', 'deployed')
    .execute();
  await tx.deleteFrom('capabilities').where('server_id', '=', serverId).execute();
  await setApprovedVersion(tx, serverId, null);
  await tx.deleteFrom('server_health').where('server_id', '=', serverId).execute();
}

/** What is stored of a server was approved as a whole, with this version; null: it was not. */
export async function setApprovedVersion(tx: Tx, serverId: string, version: string | null): Promise<void> {
  await tx.updateTable('servers').set({ approved_version: version }).where('id', '=', serverId).execute();
}

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
export async function findTakenUris(tx: Tx, serverId: string, uris: readonly string[]): Promise<Set<string>> {
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
      discovered_at: discovered ?? null,
    })
    .onConflict((conflict) =>
      conflict.column('server_id').doUpdateSet({
        status: change.status,
        detail: change.detail ?? null,
        ...(change.era && { era: change.era, era_at: checkedAt }),
        checked_at: checkedAt,
        ...(discovered && { discovered_at: discovered, ...told }),
      }),
    )
    .execute();
}

/** What the shop shows of a server changed without a discovery of our own. */
export async function markDiscovered(tx: Tx, serverId: string, at: Date): Promise<void> {
  await tx.updateTable('server_health').set({ discovered_at: at }).where('server_id', '=', serverId).execute();
}

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

/** Reads every deployed server with its capabilities and health. */
export async function readDeployed(db: CatalogueDb): Promise<CatalogueServer[]> {
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
            `${item.sha256} ${item.under_review}`,
          ]),
        ),
      ),
      discoveredAtMs: row.discovered_at?.getTime(),
      deployedAtMs: row.deployed_at?.getTime() ?? 0,
    };
  });
}

export type DeployedVersion = {
  manifest: Manifest;
  origin: 'bundled' | 'admin';
  /** What the shop shows of it was approved as a whole. */
  isListApproved: boolean;
};

/** The deployed version of a server and where it came from; read inside the transaction that stores what it offers. */
export async function findDeployed(tx: CatalogueDb | Tx, serverId: string): Promise<DeployedVersion | undefined> {
  const row = await tx
    .selectFrom('manifest_versions as m')
    .innerJoin('servers as s', 's.id', 'm.server_id')
    .select(['m.version', 'm.body', 'm.origin', 's.approved_version'])
    .where('m.server_id', '=', serverId)
    .where('m.status', '=', 'deployed')
    .executeTakeFirst();
  return row && { manifest: row.body, origin: row.origin, isListApproved: row.approved_version === row.version };
}

/** Serialises deployments of all replicas: the lock is kept until the transaction ends. */
export async function lockDeployments(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('souk:deployments'))`.execute(tx);
}
