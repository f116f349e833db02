import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { sql } from 'kysely';
import type { CatalogueDb } from '../tables.ts';

/** A version of a manifest without its body, which may have 256 KiB. */
export type ManifestHead = {
  serverId: string;
  version: string;
  status: 'staging' | 'deployed' | 'superseded';
  sha256: string;
  origin: 'bundled' | 'admin';
  name: string;
  serviceType: string;
  author: string | null;
  description: string;
  registryName: string | null;
  connection: Manifest['connection'];
  /** User id; null: the installation, or the operator's command. */
  stagedBy: string | null;
  /** Why it was staged, in their words. */
  reason: string | null;
  createdAt: Date;
  /** null when it was never live. */
  deployedAt: Date | null;
};

/** Columns of a head, as the query builder selects them. */
export const headColumns = [
  'server_id as serverId',
  'version',
  'status',
  'sha256',
  'origin',
  'name',
  'service_type as serviceType',
  'author',
  'description',
  'registry_name as registryName',
  'connection',
  'created_by as stagedBy',
  'reason',
  'created_at as createdAt',
  'deployed_at as deployedAt',
] as const;

/** All versions of a server, the newest first. */
export async function findHeads(db: CatalogueDb, serverId: string): Promise<ManifestHead[]> {
  return db
    .selectFrom('manifest_versions')
    .select(headColumns)
    .where('server_id', '=', serverId)
    .orderBy('created_at', 'desc')
    .orderBy('version', 'desc')
    .execute();
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
  const current = new Set(rows.filter(({ status }) => status !== 'superseded').map(({ serverId }) => serverId));
  return rows.filter(({ status, serverId }) => status !== 'superseded' || !current.has(serverId));
}

/** What is deployed and what is staged of one server. */
export async function findCurrentHeadsOf(db: CatalogueDb, serverId: string): Promise<ManifestHead[]> {
  return db
    .selectFrom('manifest_versions')
    .select(headColumns)
    .where('server_id', '=', serverId)
    .where('status', '<>', 'superseded')
    .execute();
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

/**
 * The version that is live, or of a server that is not the one that was live last, or of one that never was the newest.
 * @param heads of one server, the newest first
 */
export function lastLive(heads: readonly ManifestHead[]): ManifestHead | undefined {
  const live = heads.find(({ status }) => status === 'deployed');
  return live ?? heads.toSorted((a, b) => (b.deployedAt?.getTime() ?? 0) - (a.deployedAt?.getTime() ?? 0))[0];
}
