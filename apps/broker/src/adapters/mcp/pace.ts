import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

const messagesPerSecond = 4000;
const bytesPerSecond = 64 * 1024 * 1024;
/** What may come at once before the brake is felt: an honest burst of progress, or a few full answers. */
const burstSeconds = 0.25;
/** Between two turns of the event loop: some milliseconds of parsing. */
const messagesPerTurn = 64;

/**
 * A brake for one stream of messages: a server that floods with notices or garbage is read at a bounded rate and in
 * small portions, and the rest waits in its own socket buffers, so that it cannot take the event loop from the others
 * (invariants I5, I7).
 *
 * Gives undefined while the next message may be read at once, else a promise to await before reading on.
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
