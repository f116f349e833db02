import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, PGliteDialect } from 'kysely';
import type { Log } from '../log.ts';
import { createChannels } from './channels.ts';
import type { Database, Migration } from './database.ts';
import { DataFolderDamagedError } from './database-errors.ts';
import { lockFolder } from './folder-lock.ts';
import { createQuery, runTransaction, type RunStatement } from './run-transaction.ts';
import { copyImage, ensureStartImage } from './start-image.ts';
import { createTurnGate } from './turn-gate.ts';
import { startWorker, type WorkerConnection } from './worker-connection.ts';

/** The embedded database says how often it has called fsync, so that a test can see commits reach the disk. */
export type EmbeddedDatabase = Database & { fsyncCount(): Promise<number> };

export type EmbeddedOptions = {
  /** DATA_DIR; the database is the folder `db` in it. */
  dataDir: string;
  log: Log;
  /** Where start-up images are kept. */
  cacheDir: string;
  /** What a new folder's image already holds. `migrate` still has to be called: an existing folder may be older. */
  migrations: readonly Migration[];
  /** Off in tests: no fsync. */
  durable?: boolean;
};

/**
 * Opens (or makes) the embedded database of a data folder, in a worker, durable, for this process alone.
 * @throws DataFolderInUseError when another process has it open, DataFolderDamagedError when it does not start.
 */
export async function openEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { dataDir, log, durable = true } = options;
  const folder = join(dataDir, 'db');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockFolder(folder);
  try {
    if (!existsSync(folder)) await copyImage(await ensureStartImage(options.cacheDir, options.migrations), folder);
    await chmod(folder, 0o700); // PGlite creates files 0666: nobody else may come this far
    // Without this file PGlite would make a new, empty database over whatever else is there.
    if (!existsSync(join(folder, 'PG_VERSION'))) throw new DataFolderDamagedError(folder, 'PG_VERSION is missing');
    const channels = createChannels(log);
    const worker = await startWorker({ folder, durable }, channels.deliver).catch((cause: unknown) => {
      throw new DataFolderDamagedError(folder, cause);
    });
    if (durable) await warnUnlessDurable(worker, log);
    return createEmbeddedDatabase(worker, lock.release, channels);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A Database over a worker's one connection. `onClosed` runs when it is closed. */
export function createEmbeddedDatabase(
  worker: WorkerConnection,
  onClosed: () => void,
  channels = createChannels(),
): EmbeddedDatabase {
  const gate = createTurnGate();
  const runAlone: RunStatement = (text, values) => gate.statement(() => worker.run(text, values));
  const query = createQuery(runAlone);
  const kysely = new Kysely<Record<never, never>>({
    dialect: new PGliteDialect({ pglite: kyselyBackend(worker, gate) }),
  });
  let closing: Promise<void> | undefined;
  return {
    engine: 'pglite',
    kysely,
    maintenance: kysely,
    query,
    transaction: (work) => gate.transaction(() => runTransaction((text, values) => worker.run(text, values), work)),
    listen: (channel, handler) => channels.add(channel, handler, async (statement) => void (await query(statement))),
    notify: async (channel, payload) => void (await query('select pg_notify($1, $2)', [channel, payload])),
    fsyncCount: () => worker.fsyncCount(),
    close: () => (closing ??= worker.close().finally(onClosed)),
  };
}

/** What Kysely's dialect needs of a PGlite: here the worker, under the same gate as everything else. */
function kyselyBackend(worker: WorkerConnection, gate: ReturnType<typeof createTurnGate>) {
  const run = async <Row>(text: string, values: readonly unknown[] = []) => {
    const { rows, affectedRows } = await worker.run(text, values);
    return { rows: rows as Row[], affectedRows, fields: [] }; // Kysely's own word for the row type, see createQuery
  };
  return {
    ready: true,
    closed: false,
    waitReady: Promise.resolve(),
    close: async () => {}, // the Database owns the worker
    query: <Row>(text: string, values?: readonly unknown[]) => gate.statement(() => run<Row>(text, values)),
    transaction: <T>(work: (transaction: { query: typeof run; rollback(): Promise<void> }) => Promise<T>) =>
      gate.transaction(() =>
        runTransaction(
          (text, values) => worker.run(text, values),
          () => work({ query: run, rollback: async () => void (await worker.run('rollback', [])) }),
        ),
      ),
  };
}

/** The hook under fsync hangs on a pinned version's inside: when it is not called, say so rather than lose data silently. */
async function warnUnlessDurable(worker: WorkerConnection, log: Log): Promise<void> {
  const before = await worker.fsyncCount();
  // The smallest commit that must reach the log on disk; it touches no table.
  await worker.run("select pg_logical_emit_message(true, 'souk', 'opened')", []);
  if ((await worker.fsyncCount()) > before) return;
  log.error('The embedded database does not fsync: it survives a killed process, but NOT a power failure.');
}
