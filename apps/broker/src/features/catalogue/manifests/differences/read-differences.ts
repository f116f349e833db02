import type { getServerDifferences, ManifestDifference } from '@souk/contract/admin/servers.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { SoukError } from '#platform/errors.ts';
import type { Catalogue } from '../../create-catalogue.ts';
import { noManifest } from '../manifest-versions.ts';
import type { ManifestPolicy } from '../parse-manifest.ts';
import { sharedFolderNotes } from '../shared-folder.ts';
import { hiddenTools } from '../../snapshot/snapshot.ts';
import { lastLive } from '../manifest-heads.ts';
import type { PeopleOfServers } from '../read-manifest.ts';
import { compareManifests } from './compare-manifests.ts';
import { describeEffects, raisedPrices } from './describe-effects.ts';
import { sayChange } from './difference-words.ts';

/** Maximum number of listed differences. The documents next to the list are complete. */
const maxDifferences = 500;

type Differences = Omit<Answer<typeof getServerDifferences>, 'success'>;

export type DifferenceParts = Pick<PeopleOfServers, 'peopleOf' | 'askedOf'> & {
  catalogue: Catalogue;
  policy: Pick<ManifestPolicy, 'keepsFiles'>;
  /** Counts the secrets that a manifest needs and that are missing; undefined if this process does not know them. */
  missingSecretsOf?: ((server: { id: string; manifest: Pick<Manifest, 'connection' | 'auth'> }) => number) | undefined;
  /** Asks a manifest's server where its users would sign in, and describes it in sentences. */
  signInOf?: ((server: { id: string; manifest: Manifest }) => Promise<string[]>) | undefined;
};

/**
 * Describes how two versions of a manifest differ, and what deploying the second does.
 * @param named the two versions; by default the deployed and the staged one, or the deployed one twice if none is
 *   staged
 * @throws SoukError not_found
 */
export async function readDifferences(
  { catalogue, policy, peopleOf, askedOf, missingSecretsOf, signInOf }: DifferenceParts,
  id: string,
  named: { from?: string | undefined; to?: string | undefined },
): Promise<Differences> {
  const heads = await catalogue.versions(id);
  const from = named.from ?? heads.find(({ status }) => status === 'deployed')?.version;
  const to = named.to ?? (heads.find(({ status }) => status === 'staging') ?? lastLive(heads))?.version;
  if (to === undefined) throw noManifest(id);
  const read = async (version: string) => {
    const manifest = await catalogue.findManifest(id, version);
    if (!manifest) throw new SoukError('not_found', { message: `No version ${version} of ${id}` });
    return manifest;
  };
  const before = from === undefined ? undefined : await read(from);
  const after = await read(to);
  const raised = before ? raisedPrices(before, after) : [];
  const asked = raised.length === 0 ? 0 : await askedOf(after, raised);
  const people = { ...(await peopleOf(id)), asked };
  const live = catalogue.snapshot().byId.get(id);
  const isNew = from !== to;
  const signIn = isNew ? await signInOf?.({ id, manifest: after }) : undefined;
  const { waiting, kept } = live ? hiddenTools(live) : { waiting: [], kept: [] };
  return {
    from: from ?? null,
    to,
    before: before ?? null,
    after,
    differences: differencesOf(before, after),
    effects: [
      ...describeEffects(before, after, { ...people, toolsUnderReview: waiting.length, toolsKeptHidden: kept.length }),
      ...(signIn ?? []),
      ...(isNew ? [...catalogue.priceWarnings(after), ...sharedFolderNotes(after, policy)] : []),
    ],
    people,
    missingSecrets: missingSecretsOf?.({ id, manifest: after }) ?? 0,
  };
}

/** Lists at most 500 differences; the last says that there are more. */
export function differencesOf(before: Manifest | undefined, after: Manifest): ManifestDifference[] {
  const currencyOf = (manifest: Manifest | undefined) => manifest?.billing?.rental?.currency ?? 'USD';
  const currencies = { before: currencyOf(before), after: currencyOf(after) };
  const changes = compareManifests(before, after);
  const said = changes
    .slice(0, changes.length > maxDifferences ? maxDifferences - 1 : maxDifferences)
    .map((change) => ({
      path: change.path.join('.'),
      text: sayChange(change, currencies),
      before: change.before,
      after: change.after,
    }));
  const more = changes.length - said.length;
  if (more === 0) return said;
  const text = `${more} more differences: see the documents`;
  return [...said, { path: '', text, before: undefined, after: undefined }];
}
