import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { sql } from 'kysely';
import type { ManifestSource } from './manifest-source.ts';
import { slugFor } from './slug.ts';
import type { CatalogueDb, Tx } from '../tables.ts';

/** Adds the server's row if it is new. Returns its slug, which never changes. */
export async function ensureServer(tx: Tx, id: string, wantedSlug: string): Promise<string> {
  const known = await tx.selectFrom('servers').select('slug').where('id', '=', id).executeTakeFirst();
  if (known) return known.slug;
  for (let attempt = 1; ; attempt++) {
    const slug = slugFor(wantedSlug, attempt);
    const inserted = await tx
      .insertInto('servers')
      .values({ id, slug })
      .onConflict((conflict) => conflict.doNothing())
      .returning('slug')
      .executeTakeFirst();
    if (inserted) return inserted.slug;
  }
}

/** Removes the staged version from staging, and keeps it as superseded. */
export async function markUnstaged(tx: Tx, serverId: string): Promise<void> {
  await tx
    .updateTable('manifest_versions')
    .set({ status: 'superseded' })
    .where('server_id', '=', serverId)
    .where('status', '=', 'staging')
    .execute();
}

export type StagedBy = {
  origin: 'bundled' | 'admin';
  userId?: string | undefined;
  reason?: string | undefined;
  source?: ManifestSource | undefined;
};

/** Stages a known version instead of the one before. */
export async function markStaged(tx: Tx, serverId: string, version: string, by: StagedBy): Promise<void> {
  await markUnstaged(tx, serverId);
  await tx
    .updateTable('manifest_versions')
    .set({
      status: 'staging',
      origin: by.origin,
      created_by: by.userId ?? null,
      reason: by.reason ?? null,
      ...(by.source && { source: JSON.stringify(by.source) }),
    })
    .where('server_id', '=', serverId)
    .where('version', '=', version)
    .execute();
}

/** Stages a version instead of the one before. */
export async function insertStaged(tx: Tx, manifest: Manifest, sha256: string, by: StagedBy): Promise<void> {
  await markUnstaged(tx, manifest.id);
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
      reason: by.reason ?? null,
      source: by.source ? JSON.stringify(by.source) : null,
      deployed_at: null,
      ended_at: null,
    })
    .execute();
}

/** Makes this version the deployed one; the one before is superseded. @returns false when there is no such version */
export async function markDeployed(tx: Tx, serverId: string, version: string, at: Date): Promise<boolean> {
  await tx
    .updateTable('manifest_versions')
    .set({ status: 'superseded', ended_at: at })
    .where('server_id', '=', serverId)
    .where('status', '=', 'deployed')
    .where('version', '!=', version)
    .execute();
  const updated = await tx
    .updateTable('manifest_versions')
    .set({ status: 'deployed', deployed_at: at, ended_at: null })
    .where('server_id', '=', serverId)
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst();
  return updated !== undefined;
}

/** Keeps the deployed version as superseded, and deletes what the server offered and its health. */
export async function markUndeployed(tx: Tx, serverId: string, at: Date): Promise<void> {
  await tx
    .updateTable('manifest_versions')
    .set({ status: 'superseded', ended_at: at })
    .where('server_id', '=', serverId)
    .where('status', '=', 'deployed')
    .execute();
  await tx.deleteFrom('capabilities').where('server_id', '=', serverId).execute();
  await setApprovedVersion(tx, serverId, null);
  await tx.deleteFrom('server_health').where('server_id', '=', serverId).execute();
}

/** Sets the version whose list was approved as a whole; null for none. */
export async function setApprovedVersion(tx: Tx, serverId: string, version: string | null): Promise<void> {
  await tx.updateTable('servers').set({ approved_version: version }).where('id', '=', serverId).execute();
}

export type DeployedVersion = {
  manifest: Manifest;
  origin: 'bundled' | 'admin';
  /** Whether the shop's list was approved as a whole. */
  isListApproved: boolean;
};

/** Finds the deployed version of a server. To be called in the transaction that stores what the server offers. */
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

/** Serializes deployments of all replicas until the transaction ends. */
export async function lockDeployments(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('souk:deployments'))`.execute(tx);
}
