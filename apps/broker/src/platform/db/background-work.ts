import { AsyncLocalStorage } from 'node:async_hooks';
import type { Query } from './database.ts';

/** Priority of a statement: a user waits for it; no user waits; it records usage and charges, which must be stored soon. */
export type StatementKind = 'person' | 'background' | 'record';

const kind = new AsyncLocalStorage<StatementKind>();

/**
 * Runs work that no user waits for: discovery, checks, jobs, merging of usage. All its statements use separate connections
 * (PostgreSQL) or queue behind those of users (embedded), so that a sign-in or a call never waits for them.
 */
export function inBackground<T>(work: () => T): T {
  return kind.run('background', work);
}

/**
 * Marks statements that record usage and charges. On PostgreSQL they have separate connections, with a longer time
 * limit than those of users, so that they wait for neither users nor discovery.
 */
export function asRecords(query: Query): Query {
  return <Row>(text: string, values?: readonly unknown[]) => kind.run('record', () => query<Row>(text, values));
}

/** Runs work that a user waits for from within background work. */
export function inForeground<T>(work: () => T): T {
  return kind.run('person', work);
}

export function statementKind(): StatementKind {
  return kind.getStore() ?? 'person';
}

export function isInBackground(): boolean {
  return statementKind() === 'background';
}
