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

/** What the tests' processes learn from the set-up. */
export type TestDatabases = {
  /** Embedded databases to copy: to migrate one takes longer. `migrations` as JSON; the broker's own are whole. */
  images: { migrations: string; isWhole: boolean; folder: string }[];
  /** Temporary folders of tests go here; removed at the end. */
  folder: string;
  /** File that holds PostgreSQL's address once it runs, or the error; undefined: there is no PostgreSQL here. */
  postgresFile: string | undefined;
};

declare module 'vitest' {
  interface ProvidedContext {
    testDatabases: TestDatabases;
  }
}

/**
 * Vitest's global set-up: one PostgreSQL for the whole run (TEST_DATABASE_URL, else a throw-away cluster). It starts while the
 * first tests run already; whoever needs it waits for `postgresFile`.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const parent = await findTemporaryFolder();
  const folder = await mkdtemp(join(parent, 'souk-tests-'));
  const givenUrl = process.env.TEST_DATABASE_URL;
  const binaries = findPostgresBinaries();
  const file = join(folder, 'postgres.json');
  const postgresFile = givenUrl || binaries ? file : undefined;
  if (!postgresFile) {
    // oxlint-disable-next-line no-console -- a skip that nobody sees would pass for a proof
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
  // one without migrations, which tests of a feature's own migrate: that costs less than a further image
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

/** Memory, where the machine has enough of it: to copy a database takes half of the processor time there, and no wait. */
async function findTemporaryFolder(): Promise<string> {
  const free = await statfs(sharedMemory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free >= neededBytes && freemem() >= neededBytes ? sharedMemory : tmpdir();
}

const sharedMemory = '/dev/shm';
/** Some forty databases and what tests write. */
const neededBytes = 6 * 1024 ** 3;
