import { dirname, join, resolve, sep } from 'node:path';

/** Whether a link at `path` stays within its top-level folder of the data folder, such as `files`. */
export function staysInFolder(dataDir: string, path: string, linkname: string): boolean {
  const [folder = ''] = path.split('/');
  return resolve(join(dataDir, dirname(path)), linkname).startsWith(join(dataDir, folder) + sep);
}
