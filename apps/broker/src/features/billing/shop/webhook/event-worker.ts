import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createWorkLoop } from '#platform/work/work-loop.ts';
import { isChangeUnderWay } from '../changes/purchase-locks.ts';
import { markDone, markFailed, nextDue, removeDone, storeEvent, takeEvent, type TakenEvent } from './event-store.ts';
import type { PaymentEvent, PaymentEventHandlers } from './payment-event.ts';

const atOnce = 4;
/** A process that is killed with an event leaves it to the others after this time. */
const claimMs = 120_000;
/** How often to look for events that another process has left behind. */
const pollMs = 15_000;
const longestWaitMs = 10 * 60_000;
/** From this attempt on a failure is an alarm. */
const alarmingAttempt = 5;
const keptMs = 30 * 24 * 60 * 60_000;

/** Works off events from a table, so that none is lost with a process, and any process may take it. */
export type EventWorker = {
  /**
   * Resolves when the event is stored; the work begins afterwards. One that is known already changes nothing, one of a type
   * that nothing follows from is not stored.
   */
  take(event: PaymentEvent): Promise<void>;
  start(): void;
  /** Resolves when nothing is due and nothing under way in this process. */
  idle(): Promise<void>;
  removeOld(): Promise<void>;
  /** Waits for handlers under way. What is left is done after the next start. */
  stop(): Promise<void>;
};

export function createEventWorker({
  query,
  handlers,
  clock,
  log,
}: {
  query: Query;
  handlers: PaymentEventHandlers;
  clock: Clock;
  log: Log;
}): EventWorker {
  let isStarted = false;
  const inMs = (ms: number) => new Date(clock.now() + ms);

  const loop = createWorkLoop({
    async work(stopping) {
      await Promise.all(Array.from({ length: atOnce }, () => workOff(stopping)));
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

  /** One event after the other, as long as one is due. */
  async function workOff(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const event = await takeEvent(query, inMs(0), inMs(claimMs));
      if (!event) return;
      await work(event);
    }
  }

  async function work(event: TakenEvent): Promise<void> {
    try {
      await handlers[event.type]?.(event);
      await markDone(query, event.id, inMs(0));
    } catch (error) {
      const waitMs = Math.min(longestWaitMs, 1000 * 2 ** (event.attempts - 1));
      const facts = { err: error, eventId: event.id, type: event.type, attempts: event.attempts };
      const text = 'an event of the payment provider could not be handled; it is tried again';
      // another change of the same person is no failure
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
      // after the answer
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

/** Operators read it: what the payment provider said, rather than what people are told of it. */
function reasonOf(error: unknown): string {
  const told = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return told instanceof Error ? told.message : String(told);
}
