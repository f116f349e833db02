import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { sql, type Selectable } from 'kysely';
import type { CatalogueDb, CatalogueTables } from '../tables.ts';

/** A version of a manifest without its body, which may have 256 KiB. */
export type ManifestHead = {
  serverId: string;
  version: string;
  status: 'staging' | 'deployed' | 'superseded';
  sha256: string;
  origin: 'bundled' | 'admin';
  name: string;
  serviceType: string;
  author: string | undefined;
  description: string;
  registryName: string | undefined;
  connection: Manifest['connection'];
  /** Who staged it; undefined: the installation, or the operator's command. */
  stagedBy: string | undefined;
  /** Why it was staged, in their words. */
  reason: string | undefined;
  createdAt: Date;
  /** Undefined when it was never live. */
  deployedAt: Date | undefined;
};

export const headColumns = [
  'server_id',
  'version',
  'status',
  'sha256',
  'origin',
  'name',
  'service_type',
  'author',
  'description',
  'registry_name',
  'connection',
  'created_by',
  'reason',
  'created_at',
  'deployed_at',
] as const satisfies readonly (keyof CatalogueTables['manifest_versions'])[];

/** All versions of a server, the newest first. */
export async function findHeads(db: CatalogueDb, serverId: string): Promise<ManifestHead[]> {
  const rows = await db
    .selectFrom('manifest_versions')
    .select(headColumns)
    .where('server_id', '=', serverId)
    .orderBy('created_at', 'desc')
    .orderBy('version', 'desc')
    .execute();
  return rows.map(toHead);
}

/** What each server has deployed and staged; one that has neither shows the version that was live last. */
export async function findCurrentHeads(db: CatalogueDb): Promise<ManifestHead[]> {
  const rows = await db
    .selectFrom('manifest_versions')
    .select(headColumns)
    .distinctOn(['server_id', 'status'])
    .orderBy('server_id')
    .orderBy('status')
    .orderBy(sql`deployed_at desc nulls last`)
    .orderBy('created_at', 'desc')
    .execute();
  const current = new Set(rows.filter(({ status }) => status !== 'superseded').map((row) => row.server_id));
  return rows.filter((row) => row.status !== 'superseded' || !current.has(row.server_id)).map(toHead);
}

/** What is deployed and what is staged of one server. */
export async function findCurrentHeadsOf(db: CatalogueDb, serverId: string): Promise<ManifestHead[]> {
  const rows = await db
    .selectFrom('manifest_versions')
    .select(headColumns)
    .where('server_id', '=', serverId)
    .where('status', '<>', 'superseded')
    .execute();
  return rows.map(toHead);
}

/** The version whose server answered last: what it offered then is trusted. Undefined where none has. */
export async function findAnsweredVersion(db: CatalogueDb, serverId: string): Promise<string | undefined> {
  const row = await db.selectFrom('servers').select('pinned_version').where('id', '=', serverId).executeTakeFirst();
  return row?.pinned_version ?? undefined;
}

/** The body of one version; undefined when there is no such version. */
export async function findManifest(db: CatalogueDb, serverId: string, version: string): Promise<Manifest | undefined> {
  const row = await db
    .selectFrom('manifest_versions')
    .select('body')
    .where('server_id', '=', serverId)
    .where('version', '=', version)
    .executeTakeFirst();
  return row?.body;
}

export type HeadRow = Selectable<Pick<CatalogueTables['manifest_versions'], (typeof headColumns)[number]>>;

export function toHead(row: HeadRow): ManifestHead {
  return {
    serverId: row.server_id,
    version: row.version,
    status: row.status,
    sha256: row.sha256,
    origin: row.origin,
    name: row.name,
    serviceType: row.service_type,
    author: row.author ?? undefined,
    description: row.description,
    registryName: row.registry_name ?? undefined,
    connection: row.connection,
    stagedBy: row.created_by ?? undefined,
    reason: row.reason ?? undefined,
    createdAt: row.created_at,
    deployedAt: row.deployed_at ?? undefined,
  };
}

/**
 * The version that is live, or of a server that is not the one that was live last, or of one that never was the newest.
 * @param heads of one server, the newest first
 */
export function lastLive(heads: readonly ManifestHead[]): ManifestHead | undefined {
  const live = heads.find(({ status }) => status === 'deployed');
  return live ?? heads.toSorted((a, b) => (b.deployedAt?.getTime() ?? 0) - (a.deployedAt?.getTime() ?? 0))[0];
}
