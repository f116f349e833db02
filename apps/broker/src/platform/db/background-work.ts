import { AsyncLocalStorage } from 'node:async_hooks';

const background = new AsyncLocalStorage<boolean>();

/**
 * Runs work that no person waits for: discovery, checks, jobs, merging of usage. Its statements, and those of what it calls,
 * use connections of their own (PostgreSQL) or take turns behind those of people (embedded), so that a sign-in or a call
 * never waits for them.
 */
export function inBackground<T>(work: () => T): T {
  return background.run(true, work);
}

/** Runs work that a person waits for, from within work in the background: what both share. */
export function inForeground<T>(work: () => T): T {
  return background.run(false, work);
}

export function isInBackground(): boolean {
  return background.getStore() ?? false;
}
