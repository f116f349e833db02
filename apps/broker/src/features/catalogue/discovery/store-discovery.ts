import { cleanText } from '../review/clean-text.ts';
import { toStored, urisOf, type Discovered } from './discovered.ts';
import type { DriftPolicy } from '../review/judge-tool.ts';
import { pricedButMissing, describeLeftOut } from './left-out.ts';
import { reviewTools, type FoundDrift } from '../review/review-tools.ts';
import * as capabilities from './capability-store.ts';
import * as versions from '../manifests/version-store.ts';
import type { Tx } from '../tables.ts';
import { findPins, replacePins } from '../review/tool-pin-store.ts';

type Server = { id: string; slug: string };
type PolicyOf = (deployed: versions.DeployedVersion) => DriftPolicy;

/** Facts for the log. */
export type StoredDiscovery = {
  found: readonly FoundDrift[];
  /** Number of them without an audit row, because the server reached its limit of audit rows per day. */
  notAudited: number;
  leftOut: string | undefined;
};
const nothingNew: StoredDiscovery = { found: [], notAudited: 0, leftOut: undefined };

/**
 * Stores what a server lists to anyone as the shop's list, and marks it connected. A list that an administrator
 * approved for this version stays: what users get in addition is reviewed per user.
 */
export async function storeDiscovery(
  tx: Tx,
  server: Server,
  discovered: Discovered,
  policyOf: PolicyOf,
  at: Date,
): Promise<StoredDiscovery> {
  await versions.lockDeployments(tx);
  const deployed = await versions.findDeployed(tx, server.id);
  if (!deployed) return nothingNew;
  if (deployed.isListApproved) {
    await storeAnswer(tx, server.id, discovered, undefined, at);
    return nothingNew;
  }
  await versions.setApprovedVersion(tx, server.id, null);
  return storeList(tx, server, discovered, deployed, policyOf, at);
}

/** Records the hash of a stored answer, so that the same answer is not stored again. */
export async function recordAnswer(tx: Tx, serverId: string, answerSha256: string): Promise<void> {
  await tx
    .updateTable('server_health')
    .set({ answer_sha256: answerSha256 })
    .where('server_id', '=', serverId)
    .execute();
}

/**
 * Stores that a new version works, although it requires a sign-in to list anything. The shop shows the snapshot that
 * was approved with the manifest, else its previous list. Tools that the server later lists to anyone count as new.
 */
export async function storeSignInRequired(
  tx: Tx,
  server: Server,
  policyOf: PolicyOf,
  at: Date,
): Promise<StoredDiscovery> {
  await versions.lockDeployments(tx);
  const deployed = await versions.findDeployed(tx, server.id);
  if (!deployed) return nothingNew;
  const { version, capabilitySnapshot } = deployed.manifest;
  const unknown = { era: undefined, instructions: undefined, templates: [] };
  if (capabilitySnapshot && !deployed.isListApproved) {
    await versions.setApprovedVersion(tx, server.id, version);
    return storeList(tx, server, { ...unknown, ...capabilitySnapshot }, deployed, policyOf, at);
  }
  if (!(await findPins(tx, server.id, version))) await replacePins(tx, { id: server.id, version }, []);
  await storeAnswer(tx, server.id, { ...unknown, tools: [], prompts: [], resources: [] }, undefined, at);
  return nothingNew;
}

async function storeList(
  tx: Tx,
  { id, slug }: Server,
  discovered: Discovered,
  deployed: versions.DeployedVersion,
  policyOf: PolicyOf,
  at: Date,
): Promise<StoredDiscovery> {
  const taken = await capabilities.findTakenUris(tx, id, urisOf(discovered));
  const stored = await toStored(slug, discovered, taken);
  const { version } = deployed.manifest;
  const reviewed = await reviewTools(tx, { id, version, policy: policyOf(deployed) }, stored.items, at);
  await capabilities.replaceCapabilities(tx, id, reviewed.items);
  const tools = new Set(stored.items.flatMap(({ kind, name }) => (kind === 'tool' ? [name] : [])));
  const leftOut = describeLeftOut(stored.leftOut, pricedButMissing(deployed.manifest, tools));
  await storeAnswer(tx, id, discovered, leftOut, at);
  return { found: reviewed.found, notAudited: reviewed.notAudited, leftOut };
}

async function storeAnswer(
  tx: Tx,
  serverId: string,
  { era, instructions, features }: Discovered,
  leftOut: string | undefined,
  at: Date,
): Promise<void> {
  const cleaned = instructions && cleanText(instructions.toWellFormed()).cleaned;
  await capabilities.storeDiscovered(tx, serverId, { era, instructions: cleaned, features, leftOut }, at);
}
