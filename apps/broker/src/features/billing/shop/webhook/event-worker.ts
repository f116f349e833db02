import { createWorkLoop } from '#platform/work/work-loop.ts';
import { isChangeUnderWay } from '../changes/purchase-locks.ts';
import type { ShopParts } from '../shop-parts.ts';
import { markDone, markFailed, nextDue, removeDone, storeEvent, claimEvent, type ClaimedEvent } from './event-store.ts';
import type { PaymentEvent, PaymentEventHandlers } from './payment-event.ts';

const concurrency = 4;
/** Time after which the event of a killed process is due again. */
const claimMs = 120_000;
/** Interval at which events that another process left behind are looked for. */
const pollMs = 15_000;
const longestWaitMs = 10 * 60_000;
/** Failures from this attempt on raise an alarm. */
const alarmingAttempt = 5;
/** Time for which handled events are stored. */
const keptMs = 30 * 24 * 60 * 60_000;

/** Processes events from a table, so that none is lost with a process, and any process may take it. */
export type EventWorker = {
  /** Resolves when the event is stored, before it is processed. A known event, or one without a handler, changes nothing. */
  take(event: PaymentEvent): Promise<void>;
  start(): void;
  /** Resolves when no event is due or in progress in this process. */
  idle(): Promise<void>;
  removeOld(): Promise<void>;
  /** Waits for the running handlers. The remaining events are processed after the next start. */
  stop(): Promise<void>;
};

export function createEventWorker(
  parts: Pick<ShopParts, 'db' | 'clock' | 'log'> & { handlers: PaymentEventHandlers },
): EventWorker {
  const { handlers, clock, log } = parts;
  const { query } = parts.db;
  let isStarted = false;
  const inMs = (ms: number) => new Date(clock.now() + ms);

  const loop = createWorkLoop({
    async work(stopping) {
      await Promise.all(Array.from({ length: concurrency }, () => processDue(stopping)));
      const due = await nextDue(query);
      return Math.min(pollMs, (due?.getTime() ?? Infinity) - clock.now());
    },
    failed(error) {
      log.error({ err: error }, 'the events of the payment provider could not be read');
      return pollMs;
    },
  });

  function wake(): void {
    if (isStarted) void loop.run();
  }

  /** Processes events sequentially while any is due. */
  async function processDue(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const event = await claimEvent(query, inMs(0), inMs(claimMs));
      if (!event) return;
      await work(event);
    }
  }

  async function work(event: ClaimedEvent): Promise<void> {
    try {
      await handlers[event.type]?.(event);
      await markDone(query, event.id, inMs(0));
    } catch (error) {
      const waitMs = Math.min(longestWaitMs, 1000 * 2 ** (event.attempts - 1));
      const facts = { err: error, eventId: event.id, type: event.type, attempts: event.attempts };
      const text = 'an event of the payment provider could not be handled; it will be retried';
      // another change of the same user is no failure
      if (isChangeUnderWay(error)) log.debug(facts, text);
      else if (event.attempts >= alarmingAttempt) log.error(facts, text);
      else log.warn(facts, text);
      await markFailed(query, event.id, inMs(waitMs), reasonOf(error));
    }
  }

  return {
    async take(event) {
      if (handlers[event.type] === undefined) return;
      await storeEvent(query, event, inMs(0));
      // after the response
      setImmediate(wake);
    },
    start() {
      isStarted = true;
      wake();
    },
    idle: () => (isStarted ? loop.run() : Promise.resolve()),
    removeOld: () => removeDone(query, inMs(-keptMs)),
    async stop() {
      isStarted = false;
      await loop.stop();
    },
  };
}

/** The reason for operators: the provider's words rather than the text for users. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
