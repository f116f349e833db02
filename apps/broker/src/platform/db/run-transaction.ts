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
