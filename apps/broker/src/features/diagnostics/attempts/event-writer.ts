import type { Log } from '#platform/log.ts';
import type { AttemptEvent } from './attempt-event.ts';

/** Long enough to write what one client does at its start in one go, short enough for a page that asks again. */
const flushIntervalMs = 200;
/** What cannot be written is dropped: a diagnosis may be lost, a call may not wait for it. */
const maxWaiting = 2_000;

export type EventWriter = {
  /** Takes the event and returns at once. */
  record(event: AttemptEvent): void;
  /** Resolves when every event so far is in the database, or has been given up. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

/** Writes events off the path of the requests that they are about; those of one attempt in their order, merged. */
export function createEventWriter(write: (event: MergedEvent) => Promise<void>, log: Log): EventWriter {
  let waiting: AttemptEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

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
    record(event) {
      if (waiting.length >= maxWaiting) return;
      waiting.push(event);
      timer ??= setTimeout(() => void flush(), flushIntervalMs);
    },
    flush,
    stop: flush,
  };
}

export type MergedEvent = Omit<AttemptEvent, 'passed' | 'failure'> & {
  startedAtMs: number;
  /** Step -> when, epoch milliseconds. */
  firstPassed: Record<string, number>;
  lastPassed: Record<string, number>;
  failed: Record<string, { atMs: number; reason: string; facts: Readonly<Record<string, string>> }>;
};

/** One statement for each attempt: what one request after the other told of it. */
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
