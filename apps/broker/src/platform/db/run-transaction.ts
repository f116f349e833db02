import type { Query } from './database.ts';

/** A statement on one connection; `command` is the tag that PostgreSQL answers with. */
export type RunStatement = (
  text: string,
  values: readonly unknown[],
) => Promise<{ rows: unknown[]; affectedRows: number; command: string }>;

/** Makes the typed `query` of the Database interface. The caller names the row type: SQL is checked by tests, not by types. */
export function createQuery(run: RunStatement): Query {
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    const { rows, affectedRows } = await run(text, values);
    // The caller names the row type of its statement; nothing here can check it.
    return { rows: rows as Row[], affectedRows };
  };
}

/** These settings make the text of each value one that its type reads again on any server. */
const asWritten = [
  `set local timezone = 'UTC'`,
  `set local datestyle = 'ISO, YMD'`,
  `set local bytea_output = 'hex'`,
  `set local extra_float_digits = 1`,
];

/** `work` in a transaction that sees one moment of the database, and changes nothing. */
export function runSnapshot<T>(run: RunStatement, work: (query: Query) => Promise<T>): Promise<T> {
  return runTransaction(run, async (query) => {
    await query('set transaction isolation level repeatable read, read only');
    for (const setting of asWritten) await query(setting);
    return work(query);
  });
}

/**
 * BEGIN, `work`, COMMIT on one connection; ROLLBACK when `work` throws.
 * @throws what `work` throws; an Error when a statement failed, `work` went on, and COMMIT became a rollback.
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
