// Compares what npm installed with the lockfile. Plain JavaScript for Node 18, no dependencies.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Finds packages of package-lock.json that node_modules lacks or has in another version. Without any development package the
 * installation is deliberate (`npm ci --omit=dev`), and these are not missing.
 * @param {string} root
 * @returns {string[]} their folders
 */
export function missingPackages(root) {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages;
  const wanted = Object.entries(read('package-lock.json')).filter(
    ([folder, entry]) => folder.includes('node_modules/') && !entry.link && fitsHere(entry),
  );
  let present;
  try {
    present = read('node_modules/.package-lock.json'); // npm writes it after each installation
  } catch {
    return wanted.map(([folder]) => folder);
  }
  const withoutDev = !Object.values(present).some(({ dev }) => dev);
  return wanted
    .filter(([, { dev, devOptional }]) => !(withoutDev && (dev || devOptional)))
    .filter(([folder, { version, integrity }]) => {
      const entry = present[folder];
      // npm's list is in the root's folder, and may outlive the folders of workspaces
      const isGone = !folder.startsWith('node_modules/') && !existsSync(join(root, folder));
      return !entry || isGone || entry.version !== version || entry.integrity !== integrity;
    })
    .map(([folder]) => folder);
}

/**
 * Lists the package folders of workspaces, which a copy of the root's folder does not include.
 * @param {string} root
 * @returns {string[]}
 */
export function workspaceFolders(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const folders = Object.keys(packages).flatMap((folder) => /^(?!node_modules\/).*?node_modules/.exec(folder) ?? []);
  return [...new Set(folders)];
}

/**
 * Whether npm installs a package on this machine: an optional package names its systems. One that names none is a dependency of
 * such a package, so it can be ignored.
 */
function fitsHere({ optional, devOptional, os, cpu, libc }) {
  if (!optional && !devOptional) return true;
  if (!os && !cpu) return false;
  return fits(os, process.platform) && fits(cpu, process.arch) && (!libc || fits(libc, ownLibc()));
}

function fits(field, own) {
  const names = [field ?? []].flat(); // a single name need not be a list
  const allowed = names.filter((name) => !name.startsWith('!'));
  return !names.includes(`!${own}`) && (allowed.length === 0 || allowed.includes(own));
}

let libc;
function ownLibc() {
  if (process.platform === 'linux') libc ??= process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
  return libc;
}
