import { existsSync } from 'node:fs';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { defaultCacheDir, ensureStartImage } from '#platform/db/embedded/start-image.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { migrations } from '../../migrations.ts';
import { startPostgresCluster, type PostgresCluster } from './postgres-cluster.ts';
import { dropTemplates } from './postgres-templates.ts';

/** Results of the setup for the tests' processes. */
export type TestDatabases = {
  /** Embedded databases to copy: migrating one takes longer. `migrations` as JSON; `isWhole` for the broker's own. */
  images: { migrations: string; isWhole: boolean; folder: string }[];
  /** Folder for the temporary folders of tests; removed at the end. */
  folder: string;
  /** File that contains PostgreSQL's address once it runs, or the error; undefined without PostgreSQL. */
  postgresFile: string | undefined;
};

declare module 'vitest' {
  interface ProvidedContext {
    testDatabases: TestDatabases;
  }
}

/**
 * Vitest's global setup: one PostgreSQL for the whole run (TEST_DATABASE_URL, otherwise a temporary cluster). It starts
 * while the first tests already run; tests that need it wait for `postgresFile`.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const parent = await findTemporaryFolder();
  const folder = await mkdtemp(join(parent, 'souk-tests-'));
  const givenUrl = process.env.TEST_DATABASE_URL;
  const binaries = findPostgresBinaries();
  const file = join(folder, 'postgres.json');
  const postgresFile = givenUrl || binaries ? file : undefined;
  if (!postgresFile) {
    // oxlint-disable-next-line no-console -- an unnoticed skip would pass for a proof
    console.warn(
      '\n!! NO POSTGRESQL: race and store tests on PostgreSQL are SKIPPED. Install it, or set TEST_DATABASE_URL.\n',
    );
  }
  let cluster: PostgresCluster | undefined;
  const start = async () => {
    try {
      if (!givenUrl && binaries) cluster = await startPostgresCluster(binaries, parent);
      await writeFile(file, JSON.stringify({ url: givenUrl ?? cluster?.url }));
    } catch (error) {
      await writeFile(file, JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
    }
  };
  const starting = postgresFile ? start() : Promise.resolve();
  // one without migrations, which tests of a feature migrate themselves: that costs less than another image
  const images = await Promise.all(
    [[], migrations].map(async (each) => ({
      migrations: JSON.stringify(each),
      isWhole: each === migrations,
      folder: await ensureStartImage(defaultCacheDir, each),
    })),
  );
  project.provide('testDatabases', { images, folder, postgresFile });
  return async () => {
    await starting;
    if (givenUrl && existsSync(file)) await dropTemplates(givenUrl);
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/**
 * Finds the folder: memory, if the machine has enough of it, since copying a database there takes half of the processor
 * time and no wait.
 */
async function findTemporaryFolder(): Promise<string> {
  const free = await statfs(sharedMemory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free >= neededBytes && freemem() >= neededBytes ? sharedMemory : tmpdir();
}

const sharedMemory = '/dev/shm';
/** Some forty databases and the files that tests write. */
const neededBytes = 6 * 1024 ** 3;
