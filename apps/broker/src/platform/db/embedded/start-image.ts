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

/** An image of other migrations is kept this long: another checkout or branch may still start from it. */
const keepImagesMs = 7 * 24 * 60 * 60_000;

/** `.cache` at the repository's root: files that can be made again. */
export const defaultCacheDir = join(import.meta.dirname, '../../../../../../.cache');

/** To be raised when the code below that makes an image changes. */
const recipe = 2;

/**
 * A closed, migrated, empty database folder to copy new ones from: a copy takes a fraction of the 2.5 s and 1.1 GB of a
 * new database. Named by its content (PGlite and the migrations), so it is never out of date. Built here when it does not
 * exist yet; two builders at once are safe, one rename wins.
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
      if (!existsSync(image)) throw error; // another builder was faster: theirs is the same
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
    // another start may have removed it just now, or given its draft its name
    const found = await stat(path).catch(() => undefined);
    if (!found || found.mtimeMs > oldest) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/**
 * Copies `image` to `folder`, which must not exist. The whole copy is on the disk before it gets its name, so that a crash
 * leaves no incomplete database.
 */
export async function copyImage(image: string, folder: string): Promise<void> {
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true }); // of a start that was killed; the folder's lock is ours
  await cp(image, draft, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await chmod(draft, 0o700);
  await syncTree(draft);
  await rename(draft, folder);
  await syncPath(dirname(folder));
}

async function buildDatabaseFolder(folder: string, migrations: readonly Migration[]): Promise<void> {
  // In its own worker, which ends and so frees the memory that initdb needs.
  const worker = await startWorker({ folder, durable: false });
  const database = createEmbeddedDatabase(worker, () => {});
  try {
    await migrate(database, migrations);
    await database.query('checkpoint');
  } finally {
    await database.close();
  }
  // PGlite gives its files the mode 0666. Whoever could write to the image would write to every new database.
  for (const path of await filesBelow(folder)) await chmod(path, 0o644);
}

function imageKey(migrations: readonly Migration[]): string {
  const content = JSON.stringify(migrations.map(({ name, statements }) => [name, statements]));
  return hash('sha256', `${recipe}\n${pgliteVersion()}\n${content}`).slice(0, 16);
}

function pgliteVersion(): string {
  // its exports hide package.json, so walk up from its entry
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
