import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** The folder of `initdb` and `postgres`: on the PATH, or where Debian keeps them. Undefined when there is none. */
export function findPostgresBinaries(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = [...(environment.PATH ?? '').split(delimiter), ...debianFolders()];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
  // the other programs are where initdb itself is, and not where a link to it is
  return found && dirname(realpathSync(join(found, 'initdb')));
}

/** /usr/lib/postgresql/{15,16,…}/bin, newest first. */
function debianFolders(): string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(root, version, 'bin'));
}
