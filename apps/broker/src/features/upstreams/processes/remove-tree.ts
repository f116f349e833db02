import { chmod, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Deletes a folder that a program wrote. The program may have removed its own permissions, or nested folders deeper
 * than the longest path, for which Node's `rm` fails. Deep folders are moved up first, so that no path is longer than
 * three names.
 */
export async function removeTree(root: string): Promise<void> {
  let moved = 0;
  for (;;) {
    const entries = await entriesOf(root);
    if (!entries) return;
    if (entries.length === 0) return rmdir(root);
    for (const entry of entries) {
      const path = join(root, entry.name);
      if (!entry.isDirectory()) await unlink(path);
      else await flatten(path, () => join(root, `.removed-${process.hrtime.bigint()}-${moved++}`));
    }
  }
}

/** Deletes a folder and its files, and moves its sub-folders to new places. */
async function flatten(folder: string, nextPlace: () => string): Promise<void> {
  for (const entry of (await entriesOf(folder)) ?? []) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) await unlink(path);
    else {
      await chmod(path, 0o700);
      await rename(path, nextPlace());
    }
  }
  await rmdir(folder);
}

/** Returns undefined if there is no such folder. */
async function entriesOf(folder: string) {
  try {
    await chmod(folder, 0o700);
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
