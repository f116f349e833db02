import type { Query } from './database.ts';

/** Runs a statement on one connection. `command` is the tag in PostgreSQL's answer. */
export type RunStatement = (
  text: string,
  values: readonly unknown[],
) => Promise<{ rows: unknown[]; affectedRows: number; command: string }>;

/** Makes the typed `query` of the Database interface. The caller names the row type: tests check SQL, not types. */
export function createQuery(run: RunStatement): Query {
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    const { rows, affectedRows } = await run(text, values);
    // Nothing here can check the row type that the caller names.
    return { rows: rows as Row[], affectedRows };
  };
}

/** Settings that make every value's text readable by the same type on any server. */
const asWritten = [
  `set local timezone = 'UTC'`,
  `set local datestyle = 'ISO, YMD'`,
  `set local bytea_output = 'hex'`,
  `set local extra_float_digits = 1`,
];

/** Runs read-only `work` in a transaction that sees one moment of the database. */
export function runSnapshot<T>(run: RunStatement, work: (query: Query) => Promise<T>): Promise<T> {
  return runTransaction(run, async (query) => {
    await query('set transaction isolation level repeatable read, read only');
    for (const setting of asWritten) await query(setting);
    return work(query);
  });
}

/**
 * Runs BEGIN, `work` and COMMIT on one connection; ROLLBACK if `work` throws.
 * @throws what `work` throws; an Error if a statement failed, `work` continued, and COMMIT became a rollback
 */
export async function runTransaction<T>(run: RunStatement, work: (query: Query) => Promise<T>): Promise<T> {
  await run('begin', []);
  let result: T;
  try {
    result = await work(createQuery(run));
  } catch (error) {
    await run('rollback', []).catch(() => {}); // if it fails, the connection is lost, and the transaction with it
    throw error;
  }
  const { command } = await run('commit', []);
  // PostgreSQL answers COMMIT of a failed transaction with the tag ROLLBACK and no error.
  if (command === 'ROLLBACK') throw new Error('the transaction was rolled back: one of its statements had failed');
  return result;
}
