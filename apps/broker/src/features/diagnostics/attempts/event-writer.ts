import type { Log } from '#platform/log.ts';
import type { AttemptEvent } from './attempt-event.ts';

/** Long enough to write the first steps of a client in one batch, short enough for a page that refetches. */
const flushIntervalMs = 200;
/** Events that wait. More are dropped: a diagnosis may be lost, but a call must not wait for it. */
const maxWaiting = 2_000;

/** Writes events after the requests that they are about, merged by attempt, in order. */
export function createEventWriter(write: (event: MergedEvent) => Promise<void>, log: Log) {
  let waiting: AttemptEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  /** Resolves when every event so far is in the database, or has been given up. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(drain);
    return writing;
  }

  async function drain(): Promise<void> {
    const batch = mergeByAttempt(waiting);
    waiting = [];
    for (const event of batch) {
      await write(event).catch((error: unknown) =>
        log.warn({ err: error }, 'a step of a connection attempt was not recorded'),
      );
    }
  }

  return {
    record(event: AttemptEvent): void {
      if (waiting.length >= maxWaiting) return;
      waiting.push(event);
      timer ??= setTimeout(() => void flush(), flushIntervalMs);
    },
    flush,
  };
}

export type MergedEvent = Omit<AttemptEvent, 'passed' | 'failure'> & {
  startedAtMs: number;
  /** Times by step, in epoch milliseconds. */
  firstPassed: Record<string, number>;
  lastPassed: Record<string, number>;
  failed: Record<string, { atMs: number; reason: string; facts: Readonly<Record<string, string>> }>;
};

/** Merges the events of each attempt, so that each takes one statement. */
function mergeByAttempt(events: readonly AttemptEvent[]): MergedEvent[] {
  const merged = new Map<string, MergedEvent>();
  for (const { passed = [], failure, ...event } of events) {
    const before = merged.get(event.key) ?? { startedAtMs: event.atMs, firstPassed: {}, lastPassed: {}, failed: {} };
    const times = Object.fromEntries(passed.map((step) => [step, event.atMs]));
    merged.set(event.key, {
      ...before,
      ...event,
      firstPassed: { ...times, ...before.firstPassed },
      lastPassed: { ...before.lastPassed, ...times },
      failed: {
        ...before.failed,
        ...(failure && { [failure.step]: { atMs: event.atMs, reason: failure.reason, facts: failure.facts ?? {} } }),
      },
    });
  }
  return [...merged.values()];
}
