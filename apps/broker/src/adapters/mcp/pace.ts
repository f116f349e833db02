import { setTimeout as delay } from 'node:timers/promises';

const messagesPerSecond = 4000;
const bytesPerSecond = 64 * 1024 * 1024;
/** What may come at once before the brake is felt: an honest burst of progress, or a few full answers. */
const burstSeconds = 0.25;

/**
 * A brake for one stream of messages: a server that floods with notices or garbage is read at a bounded rate, and the
 * rest waits in its own socket buffers, so that it cannot take the event loop from the others (invariants I5, I7).
 *
 * Gives undefined while the stream is within its rate, else a promise to await before reading on.
 */
export function createPace(): (messages: number, bytes: number) => Promise<void> | undefined {
  let debtSeconds = 0;
  let last = performance.now();
  return (messages, bytes) => {
    const now = performance.now();
    debtSeconds = Math.max(0, debtSeconds - (now - last) / 1000);
    last = now;
    debtSeconds += Math.max(messages / messagesPerSecond, bytes / bytesPerSecond);
    return debtSeconds > burstSeconds
      ? delay((debtSeconds - burstSeconds) * 1000, undefined, { ref: false })
      : undefined;
  };
}
