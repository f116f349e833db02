import { Kysely, PGliteDialect } from 'kysely';
import { createChannels } from '../channels.ts';
import type { Database } from '../database.ts';
import { createOneBroker } from '../share-of.ts';
import { createNestingGuard } from '../nesting-guard.ts';
import { createQuery, runSnapshot, runTransaction, type RunStatement } from '../run-transaction.ts';
import { createTurnGate, type TurnGate } from './turn-gate.ts';
import type { WorkerConnection } from './worker-connection.ts';

export type EmbeddedDatabase = Database & {
  /** Counts fsyncs, so that a test can see commits reach the disk. */
  fsyncCount(): Promise<number>;
  /** Runs `work` while no statement runs, so that the files of the database do not change. */
  whileStill<T>(work: () => Promise<T>): Promise<T>;
};

/** Builds a Database on a worker's only connection. */
export function createEmbeddedDatabase(
  worker: WorkerConnection,
  onClosed: () => void,
  channels = createChannels(),
): EmbeddedDatabase {
  const gate = createTurnGate(createNestingGuard());
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
    snapshot: (work) => gate.transaction(() => runSnapshot((text, values) => worker.run(text, values), work)),
    listen: (channel, handler) => channels.add(channel, handler, async (statement) => void (await query(statement))),
    // within one process, a notice cannot be lost
    deliveredUntilMs: () => performance.now(),
    brokers: createOneBroker(),
    notify: async (channel, payload) => void (await query('select pg_notify($1, $2)', [channel, payload])),
    fsyncCount: () => worker.fsyncCount(),
    async whileStill(work) {
      // writes most changes before other statements have to wait
      await query('checkpoint');
      return gate.transaction(work);
    },
    close: () => (closing ??= worker.close().finally(onClosed)),
  };
}

/** The part of PGlite that Kysely's dialect uses, implemented by the worker behind the same gate as all statements. */
function kyselyBackend(worker: WorkerConnection, gate: TurnGate) {
  const run = async <Row>(text: string, values: readonly unknown[] = []) => {
    const { rows, affectedRows } = await worker.run(text, values);
    return { rows: rows as Row[], affectedRows, fields: [] }; // Kysely names the row type, see createQuery
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
