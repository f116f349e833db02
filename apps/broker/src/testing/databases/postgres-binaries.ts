import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * Finds the folder of `initdb` and `postgres`: on the PATH, or where Debian installs them. Undefined if there is none.
 */
export function findPostgresBinaries(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = [...(environment.PATH ?? '').split(delimiter), ...debianFolders()];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
  // the other programs are in the folder of initdb itself, and not of a link to it
  return found && dirname(realpathSync(join(found, 'initdb')));
}

/** /usr/lib/postgresql/{15,16,…}/bin, newest first. */
function debianFolders(): string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(root, version, 'bin'));
}
