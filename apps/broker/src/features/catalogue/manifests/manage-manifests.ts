import type { Catalogue } from '../create-catalogue.ts';
import type { ManifestActor } from './manifest-versions.ts';
import { checkAllowed, checkCurrency, type ManifestPolicy } from './parse-manifest.ts';
import type { ManifestHead } from './manifest-heads.ts';

/** Asks servers what they offer, in a feature above. */
export type ManifestWatch = {
  /** Resolves when a server was asked since its deployment, with why it could not be. */
  asked(serverId: string): Promise<string | undefined>;
  /** @param byOperator asks at once, even if they were asked a moment ago */
  refresh(serverIds: readonly string[], byOperator?: boolean): string[];
};

/** Actions on manifests that the operator's commands and the administrators' calls share. */
export function manageManifests(parts: {
  catalogue: Catalogue;
  policy: ManifestPolicy;
  /** If absent, a deployed server is not asked until the next start. */
  watch?: ManifestWatch | undefined;
}) {
  const { catalogue, policy, watch } = parts;

  return {
    /** Lists every server that has a manifest, by id. `last`: was live last, if nothing is deployed or staged. */
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
     * Makes a known version live; one that is live already is asked again.
     * @param version by default the staged one, else the one that was live last
     * @throws SoukError not_found, changed_since_shown; manifest_invalid, url_not_allowed, command_not_allowed
     */
    async deploy(
      id: string,
      version: string | undefined,
      by: ManifestActor,
    ): Promise<{ version: string; result: 'deployed' | 'unchanged'; revision: string }> {
      // a command without a broker may not know the allowed addresses and programs: the broker's guard checks them when
      // it connects
      const check = watch ? checkAllowed : checkCurrency;
      const deployed = await catalogue.deploy(id, version, by, (manifest) => check(manifest, policy));
      if (deployed.result === 'unchanged') watch?.refresh([id], true);
      return deployed;
    },
  };
}
