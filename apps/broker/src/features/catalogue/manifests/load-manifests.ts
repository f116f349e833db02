import { constants, open, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { eachAtMost } from '#platform/work/each-at-most.ts';
import { SoukError, type Issue } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import type { Catalogue } from '../create-catalogue.ts';
import { manifestHash } from './manifest-versions.ts';
import { maxManifestBytes, parseManifest, type ManifestPolicy } from './parse-manifest.ts';
import type { ManifestHead } from './manifest-heads.ts';

type ManifestProblem = { code: string; message: string; issues: readonly Issue[] };
export type ManifestFile = { file: string; manifest: Manifest } | { file: string; problem: ManifestProblem };

/** Files read concurrently: a folder may have thousands. */
const filesAtOnce = 32;

/** Reads every *.json of a folder as a manifest. Invalid files are returned with their problem. */
export async function readManifestFolder(folder: string, policy: ManifestPolicy): Promise<ManifestFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  const files: ManifestFile[] = [];
  await eachAtMost(filesAtOnce, [...names.entries()], async ([index, name]) => {
    files[index] = await readManifestFile(join(folder, name), policy);
  });
  return files;
}

async function readManifestFile(file: string, policy: ManifestPolicy): Promise<ManifestFile> {
  try {
    return { file, manifest: parseManifest(await readAtMost(file, maxManifestBytes + 1), policy) };
  } catch (error) {
    if (error instanceof SoukError) {
      return { file, problem: { code: error.code, message: error.message, issues: error.issues ?? [] } };
    }
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { file, problem: { code: 'unreadable', message: `cannot be read (${String(error.code)})`, issues: [] } };
  }
}

/** Reads regular files only: a pipe or a device might never end, and the start would wait for it. */
async function readAtMost(path: string, bytes: number): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile() && !found.isDirectory()) throw Object.assign(new Error('no file'), { code: 'not a file' });
    return await buffer(handle.createReadStream({ end: bytes - 1, autoClose: false }));
  } finally {
    await handle.close();
  }
}

/**
 * Stages new bundled manifests and versions, and deploys those of `folders.deployed`, unless an administrator has
 * replaced them with another version or undeployed the server.
 */
export async function loadBundledManifests(
  catalogue: Catalogue,
  folders: { deployed: string; staged: string },
  policy: ManifestPolicy,
  log: Log,
): Promise<void> {
  const note = ' (bundled: BUNDLED_CATALOGUE=off leaves the whole bundled catalog out)';
  const cannotRun: string[] = [];
  for (const [folder, deploy] of [
    [folders.deployed, true],
    [folders.staged, false],
  ] as const) {
    const files = await readManifestFolder(folder, policy);
    const isForbidden = (file: ManifestFile) => 'problem' in file && isForbiddenHere(file.problem.code);
    cannotRun.push(...files.filter(isForbidden).map(({ file }) => basename(file, '.json')));
    const others = files.filter((file) => !isForbidden(file));
    await loadFiles(others, log, (manifest) => bringInBundled(catalogue, manifest, deploy), note);
  }
  // as intended in production, which starts no demo services, and no programs without STDIO=allowlist
  if (cannotRun.length > 0) {
    log.info({ servers: cannotRun }, 'bundled servers that this installation may not run are left out');
  }
}

/**
 * Deploys new manifests and versions of the operator's own folder. Those of a server that was undeployed by command are
 * only staged. A removed file undeploys nothing.
 */
export async function loadOwnManifests(
  catalogue: Catalogue,
  folder: string,
  policy: ManifestPolicy,
  log: Log,
): Promise<void> {
  let files: ManifestFile[];
  try {
    files = await readManifestFolder(folder, policy);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    log.warn({ folder }, `CATALOGUE_DIR cannot be read: ${folder} (${String(error.code)})`);
    return;
  }
  const live = new Map((await catalogue.currentVersions()).map((head) => [`${head.serverId} ${head.status}`, head]));
  const isLive = ({ id, version }: Manifest, sha256: string) => {
    const head = live.get(`${id} deployed`);
    return head?.version === version && head.sha256 === sha256;
  };
  await catalogue.together(() =>
    loadFiles(files, log, async (manifest) => {
      // most of thousands are unchanged, and each would cost several statements
      if (!isLive(manifest, manifestHash(manifest))) await bringInOwn(catalogue, manifest);
    }),
  );
}

/** Reports a refused manifest with its file, field and rule, and loads the others. */
async function loadFiles(
  files: readonly ManifestFile[],
  log: Log,
  bringIn: (manifest: Manifest) => Promise<void>,
  note = '',
): Promise<void> {
  const leaveOut = (path: string, problem: ManifestProblem) => {
    const file = basename(path);
    log.warn({ file, problem }, `the manifest ${file} is left out: ${sayProblem(problem)}${note}`);
  };
  for (const file of files) {
    if ('problem' in file) {
      leaveOut(file.file, file.problem);
      continue;
    }
    try {
      await bringIn(file.manifest);
    } catch (error) {
      if (!(error instanceof SoukError)) throw error;
      leaveOut(file.file, { code: error.code, message: error.message, issues: [] });
    }
  }
}

/** Names each invalid field with its rule, because an operator needs more than the `code`. */
function sayProblem({ message, issues }: ManifestProblem): string {
  const said = issues.map(({ path, message: rule }) => (path === '' ? rule : `${path}: ${rule}`));
  return (said.length > 0 ? said.join('; ') : message).slice(0, 2000);
}

async function bringInBundled(catalogue: Catalogue, manifest: Manifest, deploy: boolean): Promise<void> {
  const versions = await catalogue.versions(manifest.id);
  // a bundled server that an administrator has changed is no longer updated from the bundle
  if (versions.some((row) => row.origin === 'admin' && row.status !== 'superseded')) return;
  const result = await catalogue.stage(manifest, { origin: 'bundled' });
  if (result === 'staged' && deploy && !wasUndeployed(versions)) await catalogue.deploy(manifest.id, manifest.version);
}

async function bringInOwn(catalogue: Catalogue, manifest: Manifest): Promise<void> {
  const versions = await catalogue.versions(manifest.id);
  const known = versions.find(({ version }) => version === manifest.version);
  // a version that was replaced or rolled back is not deployed again: the latest decision has precedence over the file
  if (wasUndeployed(versions) || (known && known.status !== 'staging')) {
    await catalogue.stage(manifest, { origin: 'admin' });
    return;
  }
  await catalogue.deployManifest(manifest, { via: 'start' });
}

/**
 * Whether a server was live and was undeployed. Only a decision of an administrator or the operator deploys it again.
 */
function wasUndeployed(versions: readonly ManifestHead[]): boolean {
  const wasLive = versions.some(({ deployedAt }) => deployedAt !== null);
  return wasLive && !versions.some(({ status }) => status === 'deployed');
}

/** Whether a manifest is valid and only names something that this installation does not allow. */
export function isForbiddenHere(code: string): boolean {
  return code === 'url_not_allowed' || code === 'command_not_allowed';
}
