import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeEach, describe, inject } from 'vitest';
import type { Database, Migration } from '#platform/db/database.ts';
import { openPostgresDatabase } from '#platform/db/postgres/postgres-database.ts';
import { openEmbedded } from './embedded-pool.ts';
import { createDatabase, openFromTemplate, patientLimits } from './postgres-templates.ts';

type Open = () => Promise<Database>;

/**
 * Runs a block of tests once on each engine: the embedded database (in its worker) and real PostgreSQL, which is
 * skipped with a warning if it is missing. For what depends on the engine: races, the ledger, SQL of our own that is
 * not plain. `open` returns a fresh database with the migrations applied; it is closed after the test that opened it,
 * or at the end of the block if a `beforeAll` opened it.
 */
export function describeOnDatabases(name: string, migrations: readonly Migration[], block: (open: Open) => void): void {
  describeOnEmbedded(name, migrations, block);
  describeOnPostgres(name, migrations, block);
}

/** Runs the block only on the embedded database: for what one broker does over HTTP, with sequential statements. */
export function describeOnEmbedded(name: string, migrations: readonly Migration[], block: (open: Open) => void): void {
  describe(`${name} (PGlite)`, () => {
    block(closing(() => openTestDatabase(migrations)));
  });
}

/** Runs the block only on PostgreSQL: for several brokers, which never share an embedded database. */
export function describeOnPostgres(name: string, migrations: readonly Migration[], block: (open: Open) => void): void {
  describe.skipIf(!hasPostgres())(`${name} (PostgreSQL)`, () => {
    block(closing(async () => openFromTemplate(await postgresUrl(), migrations)));
  });
}

/**
 * Opens a fresh embedded database with the migrations, for tests that do not depend on the engine. The caller closes
 * it.
 */
export function openTestDatabase(migrations: readonly Migration[]): Promise<Database> {
  return openEmbedded(inject('testDatabases'), migrations);
}

/** Whether this machine can run tests on PostgreSQL: `describe.skipIf(!hasPostgres())`. */
export function hasPostgres(): boolean {
  return inject('testDatabases').postgresFile !== undefined;
}

/**
 * Creates a fresh PostgreSQL database, empty or with these migrations, for tests that open it by address. It is dropped
 * with the test run's cluster. @returns its address
 */
export async function createPostgresDatabase(migrations?: readonly Migration[]): Promise<string> {
  return createDatabase(await postgresUrl(), migrations);
}

/** Opens a database of `createPostgresDatabase` by its address. A busy machine reaches none of its limits. */
export function connectPatiently(databaseUrl: string): Promise<Database> {
  return openPostgresDatabase({ databaseUrl, limits: patientLimits, log: pino({ level: 'silent' }) });
}

/** Returns a folder for this test run's temporary files. */
export function temporaryRoot(): string {
  return inject('testDatabases').folder;
}

function closing(open: Open): Open {
  const ofTest: Database[] = [];
  const ofBlock: Database[] = [];
  let inTest = false;
  beforeEach(() => {
    inTest = true;
  });
  afterEach(async () => {
    inTest = false;
    await Promise.all(ofTest.splice(0).map((db) => db.close()));
  });
  afterAll(() => Promise.all(ofBlock.splice(0).map((db) => db.close())));
  return async () => {
    const owner = inTest ? ofTest : ofBlock;
    const db = await open();
    owner.push(db);
    return db;
  };
}

/** Returns the address of the run's PostgreSQL; waits until it has started. */
async function postgresUrl(): Promise<string> {
  const file = inject('testDatabases').postgresFile;
  if (!file) throw new Error('there is no PostgreSQL here');
  const deadline = Date.now() + 600_000;
  for (;;) {
    const answer: { url?: string; error?: string } = existsSync(file) ? parseAnswer(await readFile(file, 'utf8')) : {};
    if (answer.url) return answer.url;
    if (answer.error) throw new Error(answer.error);
    if (Date.now() > deadline) throw new Error('PostgreSQL did not start within 10 minutes');
    await new Promise((resolve) => setTimeout(resolve, 25)); // retried until the deadline
  }
}

/** Parses the file; it is empty while it is being written. */
function parseAnswer(text: string): { url?: string; error?: string } {
  return text === '' ? {} : JSON.parse(text);
}
