import { createHash } from 'node:crypto';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { AuditAction } from '@souk/contract/admin/audit-actions.ts';
import { writeAudit } from '#platform/audit/audit-log.ts';
import { SoukError } from '#platform/errors.ts';
import { compareManifests } from './differences/compare-manifests.ts';
import { findCurrentHeadsOf, findHeads, findManifest, lastLive, type ManifestHead } from './manifest-heads.ts';
import type { ManifestSource } from './manifest-source.ts';
import { requireRevision } from './revision.ts';
import { recordPrices } from '../prices/record-prices.ts';
import * as versions from './version-store.ts';
import type { Tx } from '../tables.ts';
import { withdrawPending } from '../review/tool-pin-store.ts';

/** The author of a decision about a server, for the audit row. */
export type ManifestActor = {
  /** The administrator; absent for the operator's command and for manifests loaded at a start. */
  actorId?: string | undefined;
  via: 'command' | 'start' | 'administration';
  reason?: string | undefined;
  /** The revision that the actor was shown. If another one is stored by now, nothing is changed. */
  expected?: string | undefined;
  source?: ManifestSource | undefined;
};

/** Changed prices listed in an audit row. The others are counted. */
const maxAuditedPrices = 50;

export function manifestHash(manifest: Manifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

/** Stages a manifest; a known version is `unchanged`. @throws SoukError manifest_conflict when its content differs */
export async function stageVersion(tx: Tx, manifest: Manifest, by: versions.StagedBy): Promise<'staged' | 'unchanged'> {
  const sha256 = manifestHash(manifest);
  const known = await findHeads(tx, manifest.id);
  const same = known.find((head) => head.version === manifest.version);
  if (same?.sha256 === sha256) return 'unchanged';
  const stored = same && (await findManifest(tx, manifest.id, manifest.version));
  if (stored) {
    const fields = [...new Set(compareManifests(stored, manifest).map(({ path }) => path[0] ?? ''))];
    throw new SoukError('manifest_conflict', {
      message: `Version ${manifest.version} of ${manifest.id} exists with other content (${fields.join(', ')}): raise the version`,
      issues: fields.map((path) => ({ path, message: 'differs from the stored version' })),
    });
  }
  await versions.ensureServer(tx, manifest.id, manifest.slug ?? manifest.id);
  await versions.insertStaged(tx, manifest, sha256, by);
  return 'staged';
}

/** Stages an administrator's manifest, with its audit row. See Deployments.upload. */
export async function uploadVersion(
  tx: Tx,
  manifest: Manifest,
  by: ManifestActor,
  only: string | undefined,
  at: Date,
): Promise<'staged' | 'unchanged'> {
  const { id, version } = manifest;
  await requireRevision(tx, id, by.expected);
  const known = await findHeads(tx, id);
  if (only !== undefined && known.length === 0) throw noManifest(id);
  const { source } = by;
  const staging = stagedBy(by);
  if ((await stageVersion(tx, manifest, staging)) === 'unchanged') {
    if (known.find((head) => head.version === version)?.status !== 'superseded') return 'unchanged';
    await versions.markStaged(tx, id, version, staging);
  }
  const from = source && { registry: source.registry.url, name: source.name, version: source.version };
  await audit(tx, 'manifest.staged', id, by, { version, ...(from && { from }) }, at);
  return 'staged';
}

/** Removes a server from the catalogue and from staging, with its audit row. See Deployments.deleteManifest. */
export async function deleteManifest(
  tx: Tx,
  serverId: string,
  by: ManifestActor,
  at: Date,
  renters: number,
): Promise<void> {
  await requireRevision(tx, serverId, by.expected);
  const current = await findCurrentHeadsOf(tx, serverId);
  const versionIn = (status: ManifestHead['status']) => current.find((head) => head.status === status)?.version;
  const [deployed, staged] = [versionIn('deployed'), versionIn('staging')];
  if (deployed === undefined && staged === undefined) {
    if ((await findHeads(tx, serverId)).length === 0) throw noManifest(serverId);
    const message = `${serverId} is neither deployed nor staged, so there is nothing to delete. Its versions are kept`;
    throw new SoukError('not_found', { message });
  }
  await versions.markUnstaged(tx, serverId);
  if (deployed !== undefined) {
    await versions.markUndeployed(tx, serverId, at);
    await withdrawPending(tx, serverId, [], at);
  }
  const details = {
    ...(deployed !== undefined && { deployed }),
    ...(staged !== undefined && { staged }),
    ...(renters > 0 && { renters }),
  };
  await audit(tx, 'manifest.deleted', serverId, by, details, at);
}

export const noManifest = (serverId: string): SoukError =>
  new SoukError('not_found', { message: `There is no manifest of ${serverId}` });

/** Makes a version live; the one that was live before is kept. @throws SoukError not_found */
export async function deployVersion(
  tx: Tx,
  serverId: string,
  version: string,
  by: ManifestActor,
  at: Date,
): Promise<void> {
  const before = await versions.findDeployed(tx, serverId);
  const manifest = await findManifest(tx, serverId, version);
  const prices = manifest ? await recordPrices(tx, manifest, at) : [];
  const found = await versions.markDeployed(tx, serverId, version, at);
  if (!found) throw new SoukError('not_found', { message: `No version ${version} of ${serverId}` });
  const details = {
    version,
    ...(before && { before: before.manifest.version }),
    ...(prices.length > 0 && { prices: prices.slice(0, maxAuditedPrices) }),
    ...(prices.length > maxAuditedPrices && { morePrices: prices.length - maxAuditedPrices }),
  };
  await audit(tx, 'manifest.deployed', serverId, by, details, at);
}

/** Makes a known version live, unless it is live already. See Deployments.deploy. */
export async function deployKnown(
  tx: Tx,
  serverId: string,
  version: string | undefined,
  by: ManifestActor,
  { check, at }: { check: (manifest: Manifest) => void; at: Date },
): Promise<{ version: string; result: 'deployed' | 'unchanged' }> {
  await requireRevision(tx, serverId, by.expected);
  const heads = await findHeads(tx, serverId);
  const wanted = version ?? (heads.find(({ status }) => status === 'staging') ?? lastLive(heads))?.version;
  if (wanted === undefined) {
    // a command accepts a file instead of an id
    const advice = by.via === 'command' ? ' Deploy a file.' : '';
    throw new SoukError('not_found', { message: `There is no manifest of ${serverId}.${advice}` });
  }
  if (heads.some((head) => head.status === 'deployed' && head.version === wanted)) {
    return { version: wanted, result: 'unchanged' };
  }
  const manifest = await findManifest(tx, serverId, wanted);
  if (manifest) check(manifest);
  await deployVersion(tx, serverId, wanted, by, at);
  return { version: wanted, result: 'deployed' };
}

/** Stages a manifest and makes it live. `unchanged`: exactly this version is live already. */
export async function deployManifest(
  tx: Tx,
  manifest: Manifest,
  by: ManifestActor,
  at: Date,
): Promise<'deployed' | 'unchanged'> {
  const { id, version } = manifest;
  const staged = await stageVersion(tx, manifest, stagedBy(by));
  const live = await versions.findDeployed(tx, id);
  if (staged === 'unchanged' && live?.manifest.version === version) return 'unchanged';
  await deployVersion(tx, id, version, by, at);
  return 'deployed';
}

/**
 * Removes a server from the catalogue. Its versions, the pins of its tools and their history are kept; what it offered
 * and its health are deleted.
 * @returns the version that was deployed
 */
export async function undeployServer(
  tx: Tx,
  serverId: string,
  by: ManifestActor,
  at: Date,
  renters: number,
): Promise<string> {
  await requireRevision(tx, serverId, by.expected);
  const deployed = await versions.findDeployed(tx, serverId);
  if (!deployed) throw new SoukError('not_found', { message: `${serverId} is not deployed` });
  await versions.markUndeployed(tx, serverId, at);
  await withdrawPending(tx, serverId, [], at);
  const { version } = deployed.manifest;
  await audit(tx, 'manifest.undeployed', serverId, by, { version, ...(renters > 0 && { renters }) }, at);
  return version;
}

function stagedBy({ actorId, reason, source }: ManifestActor): versions.StagedBy {
  return { origin: 'admin', userId: actorId, reason, source };
}

function audit(
  tx: Tx,
  action: AuditAction,
  subject: string,
  { actorId, via, reason }: ManifestActor,
  details: Record<string, unknown>,
  at: Date,
): Promise<void> {
  return writeAudit(tx, { actorId, action, subject, reason, details: { ...details, via } }, at);
}
