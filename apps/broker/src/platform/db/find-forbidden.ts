import { constants } from 'node:fs';
import { access, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** Finds the first file or folder that the user of this process may not read and write. */
export async function findForbidden(folder: string): Promise<string | undefined> {
  const mayUse = (path: string, mode: number) =>
    access(path, mode).then(
      () => true,
      () => false,
    );
  const { R_OK, W_OK, X_OK } = constants;
  if (!(await mayUse(folder, R_OK | W_OK | X_OK))) return folder;
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    const found = entry.isDirectory() ? await findForbidden(path) : undefined;
    if (found !== undefined) return found;
    if (!entry.isDirectory() && !(await mayUse(path, R_OK | W_OK))) return path;
  }
  return undefined;
}
