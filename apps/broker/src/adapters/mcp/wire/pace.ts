import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

const messagesPerSecond = 4000;
const bytesPerSecond = 64 * 1024 * 1024;
/** The burst that is read without a pause: enough for a burst of progress or a few full answers. */
const burstSeconds = 0.25;
/** Messages read in one turn of the event loop: a few milliseconds of parsing. */
const messagesPerTurn = 64;

/**
 * Limits the rate at which one stream of messages is read. A server that floods us with notices or garbage is read in
 * small portions while the rest waits in socket buffers, so that it cannot block the event loop (invariants I5, I7).
 *
 * Returns undefined while the next message may be read at once, otherwise a promise to await first.
 */
export function createPace(): (messages: number, bytes: number) => Promise<void> | undefined {
  let debtSeconds = 0;
  let last = performance.now();
  let sinceTurn = 0;
  return (messages, bytes) => {
    const now = performance.now();
    debtSeconds = Math.max(0, debtSeconds - (now - last) / 1000);
    last = now;
    debtSeconds += Math.max(messages / messagesPerSecond, bytes / bytesPerSecond);
    sinceTurn += messages;
    if (debtSeconds <= burstSeconds && sinceTurn < messagesPerTurn) return undefined;
    sinceTurn = 0;
    const waitMs = (debtSeconds - burstSeconds) * 1000;
    return waitMs > 0 ? delay(waitMs, undefined, { ref: false }) : nextTurn();
  };
}
