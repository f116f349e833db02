import { hash, randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Migration } from '../database.ts';
import { createEmbeddedDatabase } from './embedded-database.ts';
import { migrate } from '../migrate.ts';
import { startWorker } from './worker-connection.ts';
import { asRecord } from '../../json.ts';
import { syncPath } from '../../sync-path.ts';
import { eachAtMost } from '../../work/each-at-most.ts';

/** Time for which images of other migrations are kept: another checkout or branch may still start from them. */
const keepImagesMs = 7 * 24 * 60 * 60_000;

/** `.cache` at the repository's root, for files that can be rebuilt. */
export const defaultCacheDir = join(import.meta.dirname, '../../../../../../.cache');

/** Increment when the code below that builds an image changes. */
const recipe = 2;

/**
 * Builds a closed, migrated, empty database folder to copy new ones from, unless it exists: a copy takes a fraction of the
 * 2.5 s and 1.1 GB of a new database. It is named by its content (PGlite and the migrations), so it is never stale. Concurrent
 * builders are safe: one rename wins.
 * @returns the image's folder
 */
export async function ensureStartImage(cacheDir: string, migrations: readonly Migration[]): Promise<string> {
  const image = join(cacheDir, `database-${imageKey(migrations)}`);
  if (existsSync(image)) return image;
  await mkdir(cacheDir, { recursive: true });
  const draft = `${image}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await buildDatabaseFolder(draft, migrations);
    await rename(draft, image).catch((error: unknown) => {
      if (!existsSync(image)) throw error; // another builder was faster, with the same result
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await removeOldImages(cacheDir, image);
  return image;
}

/** Removes the images of older versions of the product, some 40 MB each. */
async function removeOldImages(cacheDir: string, image: string): Promise<void> {
  const oldest = Date.now() - keepImagesMs;
  for (const name of await readdir(cacheDir)) {
    const path = join(cacheDir, name);
    if (path === image || !name.startsWith('database-')) continue;
    // another start may have just removed it, or renamed its draft
    const found = await stat(path).catch(() => undefined);
    if (!found || found.mtimeMs > oldest) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/** Copies `image` to `folder`, which must not exist. The copy is on the disk before it is renamed, so a crash leaves no part of it. */
export async function copyImage(image: string, folder: string): Promise<void> {
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true }); // left by a start that was killed; the folder's lock is ours
  await cp(image, draft, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await chmod(draft, 0o700);
  await syncTree(draft);
  await rename(draft, folder);
  await syncPath(dirname(folder));
}

async function buildDatabaseFolder(folder: string, migrations: readonly Migration[]): Promise<void> {
  // In its own worker, whose end frees the memory that initdb needs.
  const worker = await startWorker({ folder, durable: false });
  const database = createEmbeddedDatabase(worker, () => {});
  try {
    await migrate(database, migrations);
    await database.query('checkpoint');
  } finally {
    await database.close();
  }
  // PGlite creates files with mode 0666, and a user who can write to the image writes to every new database.
  for (const path of await filesBelow(folder)) await chmod(path, 0o644);
}

function imageKey(migrations: readonly Migration[]): string {
  const content = JSON.stringify(migrations.map(({ name, statements }) => [name, statements]));
  return hash('sha256', `${recipe}\n${pgliteVersion()}\n${content}`).slice(0, 16);
}

function pgliteVersion(): string {
  // the package's exports hide package.json, so walk up from its entry
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const manifest: unknown = createRequire(import.meta.url)(join(dirname(entry), '..', 'package.json'));
  return String(asRecord(manifest)?.['version']);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  await eachAtMost(4, paths, syncPath);
  await syncPath(folder);
}
