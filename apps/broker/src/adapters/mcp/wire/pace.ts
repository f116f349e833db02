import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

const messagesPerSecond = 4000;
const bytesPerSecond = 64 * 1024 * 1024;
/** The burst that is read without a pause: up to 1,000 notices, or a few full answers. */
const burstSeconds = 0.25;
/** Messages read in one tick of the event loop: a few milliseconds of parsing. */
const messagesPerTick = 32;
/** Messages of a stream before other streams can slow it down: most streams have an answer and a few notices. */
const freeMessages = 8;

/** Returns undefined while the next message may be read immediately, otherwise a promise to await first. */
export type Pace = (messages: number, bytes: number) => Promise<void> | undefined;

/**
 * Limits the rate at which messages are read. A server that floods us with notices or garbage is read in small portions
 * while the rest waits in socket buffers, so that it cannot block the event loop (invariants I5, I7).
 */
export function createPace(rate: { messagesPerSecond: number } = { messagesPerSecond }): Pace {
  let debtSeconds = 0;
  let last = performance.now();
  let sinceTick = 0;
  return (messages, bytes) => {
    const now = performance.now();
    debtSeconds = Math.max(0, debtSeconds - (now - last) / 1000);
    last = now;
    debtSeconds += Math.max(messages / rate.messagesPerSecond, bytes / bytesPerSecond);
    sinceTick += messages;
    if (debtSeconds <= burstSeconds && sinceTick < messagesPerTick) return undefined;
    sinceTick = 0;
    const waitMs = (debtSeconds - burstSeconds) * 1000;
    return waitMs > 0 ? delay(waitMs, undefined, { ref: false }) : nextTurn();
  };
}

/**
 * The pace of one exchange's event stream. It limits the stream itself and, after its first messages, also counts it in the
 * pace that all streams of its server share.
 * @param cost the cost of one message, in messages of the shared pace
 */
export function createStreamPace(shared: Pace, cost: number): Pace {
  const own = createPace();
  let seen = 0;
  return (messages, bytes) => {
    const wait = own(messages, bytes);
    seen += messages;
    const others = seen > freeMessages ? shared(messages * cost, 0) : undefined;
    return wait && others ? Promise.all([wait, others]).then(() => {}) : (wait ?? others);
  };
}
