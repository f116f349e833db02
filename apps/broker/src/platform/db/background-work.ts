import { AsyncLocalStorage } from 'node:async_hooks';
import type { Query } from './database.ts';

/** Who waits for a statement: a person; nobody; what was used and charged already, and must be written soon. */
export type StatementKind = 'person' | 'background' | 'record';

const kind = new AsyncLocalStorage<StatementKind>();

/**
 * Runs work that no person waits for: discovery, checks, jobs, merging of usage. Its statements, and those of what it calls,
 * use connections of their own (PostgreSQL) or take turns behind those of people (embedded), so that a sign-in or a call
 * never waits for them.
 */
export function inBackground<T>(work: () => T): T {
  return kind.run('background', work);
}

/**
 * Statements that write down what has happened: usage and charges. On PostgreSQL they have connections of their own too, and
 * the time of the background: they wait for neither people nor discovery.
 */
export function asRecords(query: Query): Query {
  return <Row>(text: string, values?: readonly unknown[]) => kind.run('record', () => query<Row>(text, values));
}

/** Runs work that a person waits for, from within work in the background: what both share. */
export function inForeground<T>(work: () => T): T {
  return kind.run('person', work);
}

export function statementKind(): StatementKind {
  return kind.getStore() ?? 'person';
}

export function isInBackground(): boolean {
  return statementKind() === 'background';
}
