import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, messageOf } from '../../thrown.ts';
import { isDatabaseLost } from '../database-errors.ts';

/** The database did not answer within the time that a start waits for it. */
export class DatabaseAwayError extends Error {
  constructor(address: string, waitedMs: number, cause: unknown) {
    super(
      `the database at ${address} could not be reached within ${waitedMs / 1000} s (${reasonOf(cause)}). Check DATABASE_URL, and that the database runs.`,
      { cause },
    );
    this.name = 'DatabaseAwayError';
  }
}

export type OpenWhenReachableOptions = {
  databaseUrl: string;
  /** Called once, with host and port, if the first attempt fails. */
  onAway: (address: string, reason: string) => void;
  waitMs?: number;
  pauseMs?: number;
};

/**
 * Opens a database that may not be up yet, as when both start with the machine.
 * @throws DatabaseAwayError after `waitMs`; immediately any other error of `open`, such as a refused password
 */
export async function openWhenReachable<T>(
  open: () => Promise<T>,
  { databaseUrl, onAway, waitMs = 60_000, pauseMs = 1000 }: OpenWhenReachableOptions,
): Promise<T> {
  const address = addressOf(databaseUrl);
  const deadline = performance.now() + waitMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await open();
    } catch (error) {
      if (!isDatabaseLost(error)) throw error;
      if (attempt === 1) onAway(address, reasonOf(error));
      if (performance.now() + pauseMs > deadline) throw new DatabaseAwayError(address, waitMs, error);
    }
    await delay(pauseMs);
  }
}

/** Returns host and port, never the user or the password. */
export function addressOf(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  return `${url?.searchParams.get('host') ?? (url?.hostname || 'localhost')}:${url?.port || 5432}`;
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors.at(-1)); // one for each address of the name
  return codeOf(error) ?? messageOf(error);
}
