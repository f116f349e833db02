import type { Catalogue } from '../create-catalogue.ts';
import type { DecidedBy } from './manifest-versions.ts';
import { checkAllowed, checkCurrency, type ManifestPolicy } from './parse-manifest.ts';
import type { ManifestHead } from './manifest-heads.ts';

/** What asks servers, of a feature that stands above this one. */
export type ManifestWatch = {
  /** Resolves when a server was asked since its deployment: why it could not be. */
  asked(serverId: string): Promise<string | undefined>;
  /** @param byOperator asks at once, however short ago they were asked */
  refresh(serverIds: readonly string[], byOperator?: boolean): string[];
};

/** What the operator's command and the administrators' calls do with manifests alike. */
export function manageManifests(parts: {
  catalogue: Catalogue;
  policy: ManifestPolicy;
  /** Without it nothing is asked, and a deployed server waits for the next start. */
  watch?: ManifestWatch | undefined;
}) {
  const { catalogue, policy, watch } = parts;

  return {
    /** Lists every server that has a manifest, by id. `last` was live last, of a server that is neither deployed nor staged. */
    async list() {
      const byServer = Map.groupBy(await catalogue.currentVersions(), (head) => head.serverId);
      const entries = [...byServer].flatMap(([id, heads]) => {
        const headIn = (status: ManifestHead['status']) => heads.find((head) => head.status === status);
        const [deployed, staged, last] = [headIn('deployed'), headIn('staging'), headIn('superseded')];
        const shown = deployed ?? staged ?? last;
        return shown ? [{ id, deployed, staged, last, live: catalogue.snapshot().byId.get(id), shown }] : [];
      });
      return entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },

    /**
     * Makes a version live that is known; one that is live already is asked again.
     * @param version by default the staged one, else the one that was live last
     * @throws SoukError not_found, changed_since_shown; manifest_invalid, url_not_allowed, command_not_allowed where it is not allowed here any more
     */
    async deploy(
      id: string,
      version: string | undefined,
      by: DecidedBy,
    ): Promise<{ version: string; result: 'deployed' | 'unchanged'; revision: string }> {
      // a command beside no broker need not know the allowed addresses and programs: the broker's guard decides when it connects
      const check = watch ? checkAllowed : checkCurrency;
      const deployed = await catalogue.deploy(id, version, by, (manifest) => check(manifest, policy));
      if (deployed.result === 'unchanged') watch?.refresh([id], true);
      return deployed;
    },
  };
}
