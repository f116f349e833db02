import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Manifest } from '@souk/contract/manifest.ts';
import { SoukError, type Issue } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import type { Catalogue } from './create-catalogue.ts';
import { parseManifest, type ManifestPolicy } from './parse-manifest.ts';

export type ManifestFile =
  | { file: string; manifest: Manifest }
  | { file: string; problem: { code: string; message: string; issues: readonly Issue[] } };

/** Reads every *.json of a folder as a manifest. An invalid file is reported among the results, never thrown. */
export async function readManifestFolder(folder: string, policy: ManifestPolicy): Promise<ManifestFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(
    names.map(async (name): Promise<ManifestFile> => {
      const file = join(folder, name);
      try {
        return { file, manifest: parseManifest(await readFile(file), policy) };
      } catch (error) {
        if (!(error instanceof SoukError)) throw error;
        return { file, problem: { code: error.code, message: error.message, issues: error.issues ?? [] } };
      }
    }),
  );
}

/**
 * Brings the bundled manifests into the catalogue: new ones and new versions are staged, those of `deployedFolder` are
 * also deployed, unless an administrator has replaced them with another version.
 */
export async function loadBundledManifests(
  catalogue: Catalogue,
  folders: { deployed: string; staged: string },
  policy: ManifestPolicy,
  log: Log,
): Promise<void> {
  const read = async (folder: string, deploy: boolean) =>
    (await readManifestFolder(folder, policy)).map((file) => ({ ...file, deploy }));
  for (const file of [...(await read(folders.deployed, true)), ...(await read(folders.staged, false))]) {
    if ('problem' in file) {
      // In production the bundled programs and services are missing on purpose.
      const level = isForbiddenHere(file.problem.code) ? 'info' : 'error';
      log[level]({ file: basename(file.file), problem: file.problem }, 'a bundled manifest is left out');
      continue;
    }
    try {
      await bringIn(catalogue, file.manifest, file.deploy);
    } catch (error) {
      if (!(error instanceof SoukError)) throw error;
      log.error({ file: basename(file.file), code: error.code }, `a bundled manifest is left out: ${error.message}`);
    }
  }
}

async function bringIn(catalogue: Catalogue, manifest: Manifest, deploy: boolean): Promise<void> {
  const versions = await catalogue.versions(manifest.id);
  // A bundled server that an administrator has changed is theirs from then on.
  if (versions.some((row) => row.origin === 'admin' && row.status !== 'superseded')) return;
  const result = await catalogue.stage(manifest, { origin: 'bundled' });
  if (result === 'staged' && deploy) await catalogue.deploy(manifest.id, manifest.version);
}

/** Whether a manifest is valid and only names something that this installation does not allow. */
export function isForbiddenHere(code: string): boolean {
  return code === 'url_not_allowed' || code === 'command_not_allowed';
}
