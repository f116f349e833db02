import type { Catalogue } from '../create-catalogue.ts';
import type { ManifestActor } from './manifest-versions.ts';
import { checkAllowed, checkCurrency, type ManifestPolicy } from './parse-manifest.ts';
import type { ManifestHead } from './manifest-heads.ts';

/** Discovery of servers, which the upstreams feature implements. */
export type ManifestWatch = {
  /** Resolves when a server was discovered since its deployment, with the reason if that failed. */
  asked(serverId: string): Promise<string | undefined>;
  /**
   * Discovers these servers again.
   * @param byOperator even if that was done less than 10 s ago.
   * @returns the ids of the servers that are asked
   */
  refresh(serverIds: readonly string[], byOperator?: boolean): string[];
};

/** Actions on manifests that the operator's commands and the administrators' calls share. */
export function manageManifests(parts: {
  catalogue: Catalogue;
  policy: ManifestPolicy;
  /** If absent, a deployed server is not discovered until the next start. */
  watch?: ManifestWatch | undefined;
}) {
  const { catalogue, policy, watch } = parts;

  return {
    /**
     * Lists every server that has a manifest, by id. `last`: the version that was live last, if none is deployed or
     * staged.
     */
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
     * Makes a known version live. A server whose version is live already is discovered again.
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
