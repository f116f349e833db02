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
  /** The administrator's reason for staging it. */
  reason: string | null;
  createdAt: Date;
  /** null when it was never live. */
  deployedAt: Date | null;
};

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

/** Finds all versions of a server, newest first. */
export async function findHeads(db: CatalogueDb, serverId: string): Promise<ManifestHead[]> {
  return db
    .selectFrom('manifest_versions')
    .select(headColumns)
    .where('server_id', '=', serverId)
    .orderBy('created_at', 'desc')
    .orderBy('version', 'desc')
    .execute();
}

/**
 * Finds the deployed and staged versions of each server; for a server without either, the version that was live last.
 */
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

/** Finds the deployed and the staged version of one server. */
export async function findCurrentHeadsOf(db: CatalogueDb, serverId: string): Promise<ManifestHead[]> {
  return db
    .selectFrom('manifest_versions')
    .select(headColumns)
    .where('server_id', '=', serverId)
    .where('status', '<>', 'superseded')
    .execute();
}

/** Finds the version that answered last, whose tools are trusted. */
export async function findAnsweredVersion(db: CatalogueDb, serverId: string): Promise<string | undefined> {
  const row = await db.selectFrom('servers').select('pinned_version').where('id', '=', serverId).executeTakeFirst();
  return row?.pinned_version ?? undefined;
}

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
 * Returns the live version, else the one that was live last, else the newest.
 * @param heads of one server, newest first
 */
export function lastLive(heads: readonly ManifestHead[]): ManifestHead | undefined {
  const live = heads.find(({ status }) => status === 'deployed');
  return live ?? heads.toSorted((a, b) => (b.deployedAt?.getTime() ?? 0) - (a.deployedAt?.getTime() ?? 0))[0];
}
