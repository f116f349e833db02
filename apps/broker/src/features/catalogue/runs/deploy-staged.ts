import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { SoukError } from '#platform/errors.ts';
import { deployVersion, type ManifestActor } from '../manifests/manifest-versions.ts';
import type { Tx } from '../tables.ts';
import { lockDeployments } from '../manifests/version-store.ts';

/**
 * Makes a version live that an administrator staged, unless it is live already.
 * @param check throws for a manifest that must not be deployed here
 * @throws SoukError not_found when it is no longer staged, and what `check` throws
 */
export async function deployStaged(
  tx: Tx,
  staged: { serverId: string; version: string },
  by: ManifestActor,
  at: Date,
  check: (manifest: Manifest) => void,
): Promise<void> {
  await lockDeployments(tx);
  const { serverId, version } = staged;
  const row = await tx
    .selectFrom('manifest_versions')
    .select(['status', 'origin', 'body'])
    .where('server_id', '=', serverId)
    .where('version', '=', version)
    .executeTakeFirst();
  if (row?.status === 'deployed') return;
  if (row?.status !== 'staging' || row.origin !== 'admin') {
    throw new SoukError('not_found', { message: `Version ${version} is not staged any more` });
  }
  check(row.body);
  await deployVersion(tx, serverId, version, by, at);
}
