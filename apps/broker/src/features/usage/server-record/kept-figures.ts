import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createKeptValue, type KeptValue } from '#platform/work/kept-value.ts';

const keptMs = 60 * 60_000;
const failedMs = 5 * 60_000;

export type FigureParts = { query: Query; clock: Clock; log: Log };

/** Caches figures of all users. They are read from the sums by day, at most once an hour, because that reads a month. */
export function keepFigures<Value>(
  { clock, log }: FigureParts,
  { read, first, failure }: { read: () => Promise<Value>; first: Value; failure: string },
): KeptValue<Value> {
  const onFailure = (error: unknown) => log.warn({ err: error }, failure);
  return createKeptValue({ read, first, keptMs, failedMs, clock, onFailure });
}
