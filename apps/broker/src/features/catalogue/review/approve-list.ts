import { writeAudit } from '#platform/audit/audit-log.ts';
import { SoukError } from '#platform/errors.ts';
import { exposeUri } from '../snapshot/exposed-name.ts';
import { isAddress } from '../discovery/personal-list.ts';
import * as capabilities from '../discovery/capability-store.ts';
import * as versions from '../manifests/version-store.ts';
import type { StoredCapability, Tx } from '../tables.ts';
import * as pins from './tool-pin-store.ts';

export type Approval = {
  /** The administrator; undefined for the operator's command. */
  by: string | undefined;
  reason: string;
  /** Origin of the list, such as "account of ann@example.com". */
  source: string;
};

/** A server's list for one account, and the version of the manifest. */
export type ListToApprove = { version: string; items: readonly StoredCapability[] };

/**
 * Sets the list that the shop shows for a server that each user signs in to. The list comes from a connection test or
 * from one user's discovery, and only an administrator's approval puts it into the shop. The next approval or version
 * replaces it; later discoveries do not. A user's tool with an approved definition needs no review.
 * @throws SoukError not_found for a server that is not deployed, or in another version
 */
export async function approveList(
  tx: Tx,
  serverId: string,
  { version, items }: ListToApprove,
  { by, reason, source }: Approval,
  at: Date,
): Promise<void> {
  await versions.lockDeployments(tx);
  const deployed = await versions.findDeployed(tx, serverId);
  if (!deployed) throw new SoukError('not_found', { message: `${serverId} is not deployed` });
  if (deployed.manifest.version !== version) {
    const now = deployed.manifest.version;
    throw new SoukError('not_found', {
      message: `This list is from version ${version} of ${serverId}, but ${now} is deployed. Sign in again, then approve.`,
    });
  }
  const slug = await versions.ensureServer(tx, serverId, serverId);
  const taken = await capabilities.findTakenUris(
    tx,
    serverId,
    items.filter(isAddress).map(({ name }) => name),
  );
  const shown = items.map((item) => ({
    ...item,
    exposedName: isAddress(item) && taken.has(item.name) ? exposeUri(slug, item.name) : item.exposedName,
    underReview: false,
    textChangedAt: null,
  }));
  const tools = shown.filter(({ kind }) => kind === 'tool');
  await capabilities.replaceCapabilities(tx, serverId, shown);
  await versions.setApprovedVersion(tx, serverId, version);
  await pins.replacePins(tx, { id: serverId, version }, tools);
  await pins.withdrawPending(tx, serverId, [], at);
  await capabilities.markDiscovered(tx, serverId, at);
  const names = tools.map(({ name }) => name);
  await writeAudit(
    tx,
    { actorId: by, action: 'tools.approved', subject: serverId, reason, details: { source, tools: names } },
    at,
  );
}
