import type { getManifest, ListedManifest } from '@souk/contract/admin/manifests.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { SoukError } from '#platform/errors.ts';
import type { Catalogue } from '../create-catalogue.ts';
import { noManifest } from './manifest-versions.ts';
import type { PeopleOfServer, RaisedPrice } from './differences/describe-effects.ts';
import { lastLive, type ManifestHead } from './manifest-heads.ts';
import { nextVersion } from './next-version.ts';
import { presentManifest } from './present-manifest.ts';
import { revisionOf } from './revision.ts';

const maxVersions = 200;

/** Facts of other features about the users of servers. */
export type PeopleOfServers = {
  rentersOf(serverIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Addresses by user id; deleted users have none. */
  emailsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  peopleOf(serverId: string): Promise<Omit<PeopleOfServer, 'asked'>>;
  /** Counts the users who called these tools in 30 days and are asked before they pay the higher price. */
  askedOf(manifest: Manifest, raised: readonly RaisedPrice[]): Promise<number>;
};

export type ManifestFacts = Pick<PeopleOfServers, 'rentersOf' | 'emailsOf'> & { catalogue: Catalogue };

/**
 * Reads a manifest with its versions: the staged one, else the deployed one, else the one that was live last.
 * @param version reads this version instead
 * @throws SoukError not_found
 */
export async function readManifest(
  facts: ManifestFacts,
  id: string,
  version?: string,
): Promise<Omit<Answer<typeof getManifest>, 'success'>> {
  const { catalogue } = facts;
  const heads = await catalogue.versions(id);
  const deployed = heads.find(({ status }) => status === 'deployed');
  const staged = heads.find(({ status }) => status === 'staging');
  const shown = version === undefined ? (staged ?? lastLive(heads))?.version : version;
  if (shown === undefined) throw noManifest(id);
  const manifest = await catalogue.findManifest(id, shown);
  if (!manifest) throw new SoukError('not_found', { message: `No version ${shown} of ${id}` });
  return {
    manifest,
    listed: await presentOne(facts, heads),
    versions: await presentVersions(facts, heads.slice(0, maxVersions)),
    gone: deployed || staged ? null : ((await catalogue.removedBy(id)) ?? null),
    answeredVersion: (await catalogue.answeredVersion(id)) ?? null,
    revision: revisionOf(heads),
    nextVersion: nextVersion(shown, new Set(heads.map((head) => head.version))),
  };
}

/** @returns null for a server that is neither deployed nor staged */
export async function presentOne(
  { catalogue, rentersOf }: Pick<ManifestFacts, 'catalogue' | 'rentersOf'>,
  heads: readonly ManifestHead[],
): Promise<ListedManifest | null> {
  const deployed = heads.find(({ status }) => status === 'deployed');
  const staged = heads.find(({ status }) => status === 'staging');
  const shown = deployed ?? staged;
  if (!shown) return null;
  const { serverId } = shown;
  const renters = (await rentersOf([serverId])).get(serverId) ?? 0;
  const live = catalogue.snapshot().byId.get(serverId);
  return presentManifest({ shown, staged, live, renters });
}

async function presentVersions(
  { emailsOf }: Pick<ManifestFacts, 'emailsOf'>,
  heads: readonly ManifestHead[],
): Promise<Answer<typeof getManifest>['versions']> {
  const people = new Set(heads.flatMap(({ stagedBy }) => stagedBy ?? []));
  const emails = await emailsOf([...people]);
  return heads.map(({ version, status, createdAt, deployedAt, origin, stagedBy, reason }) => ({
    version,
    status,
    createdAt: createdAt.toISOString(),
    deployedAt: deployedAt?.toISOString() ?? null,
    origin,
    stagedBy: stagedBy === null ? null : { id: stagedBy, email: emails.get(stagedBy) ?? '[erased]' },
    reason,
  }));
}
