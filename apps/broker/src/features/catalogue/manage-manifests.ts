import type { Manifest } from '@souk/contract/manifest.ts';
import { SoukError } from '#platform/errors.ts';
import type { Catalogue } from './create-catalogue.ts';
import type { DecidedBy } from './manifest-versions.ts';
import { checkAllowed, checkCurrency, type ManifestPolicy } from './parse-manifest.ts';
import type { CatalogueServer } from './snapshot.ts';
import type { ManifestRow } from './version-store.ts';

/** What asks servers, of a feature that stands above this one. */
export type ManifestWatch = {
  /** Resolves when a server was asked since its deployment: why it could not be. */
  asked(serverId: string): Promise<string | undefined>;
  refresh(serverIds: readonly string[]): string[];
};

/** A server with its current versions. */
export type ManifestEntry = {
  id: string;
  deployed: ManifestRow | undefined;
  staged: ManifestRow | undefined;
  /** The version that was live last, of a server that is neither deployed nor staged. */
  last: ManifestRow | undefined;
  live: CatalogueServer | undefined;
  /** What the others are about. */
  body: Manifest;
};

/** What the operator's command and the administrators' calls do with manifests alike. */
export function manageManifests(parts: {
  catalogue: Catalogue;
  policy: ManifestPolicy;
  /** Without it nothing is asked, and a deployed server waits for the next start. */
  watch?: ManifestWatch | undefined;
}) {
  const { catalogue, policy, watch } = parts;

  /** The version that `deploy ID` means: the staged one, else the one that was live last. */
  async function versionToDeploy(id: string): Promise<string> {
    const versions = await catalogue.versions(id);
    const staged = versions.find(({ status }) => status === 'staging');
    const newest = versions.toSorted((a, b) => (b.deployedAt?.getTime() ?? 0) - (a.deployedAt?.getTime() ?? 0))[0];
    const chosen = staged ?? newest;
    if (!chosen) throw new SoukError('not_found', { message: `There is no manifest of ${id}. Deploy a file.` });
    return chosen.version;
  }

  return {
    /** Of every server that has a manifest, by id. */
    async list(): Promise<ManifestEntry[]> {
      const byId = Map.groupBy(await catalogue.currentVersions(), (row) => row.serverId);
      const entries = [...byId].flatMap(([id, rows]) => entryOf(id, rows, catalogue.snapshot().byId.get(id)) ?? []);
      return entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },

    /**
     * Makes a version live that is known; one that is live already is asked again.
     * @param version by default the staged one, else the one that was live last
     * @throws SoukError not_found; manifest_invalid, url_not_allowed, command_not_allowed where it is not allowed here any more
     */
    async deploy(
      id: string,
      version: string | undefined,
      by: DecidedBy,
    ): Promise<{ version: string; result: 'deployed' | 'unchanged' }> {
      const wanted = version ?? (await versionToDeploy(id));
      if (catalogue.snapshot().byId.get(id)?.manifest.version === wanted) {
        watch?.refresh([id]);
        return { version: wanted, result: 'unchanged' };
      }
      const known = (await catalogue.versions(id)).find((row) => row.version === wanted);
      // a command beside no broker need not know the allowed addresses and programs: the broker's guard decides when it connects
      if (known) (watch ? checkAllowed : checkCurrency)(known.body, policy);
      await catalogue.deploy(id, wanted, by);
      return { version: wanted, result: 'deployed' };
    },

    deployStaged: (by: DecidedBy) => catalogue.deployStaged(by, (manifest) => checkAllowed(manifest, policy)),
  };
}

/** @param rows of one server, as `currentVersions` answers them */
export function entryOf(
  id: string,
  rows: readonly ManifestRow[],
  live: CatalogueServer | undefined,
): ManifestEntry | undefined {
  const rowIn = (status: ManifestRow['status']) => rows.find((row) => row.status === status);
  const [deployed, staged, last] = [rowIn('deployed'), rowIn('staging'), rowIn('superseded')];
  const body = live?.manifest ?? (deployed ?? staged ?? last)?.body;
  return body && { id, deployed, staged, last, live, body };
}
