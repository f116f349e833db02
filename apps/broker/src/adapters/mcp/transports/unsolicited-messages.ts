import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { UpstreamError } from '../upstream-error.ts';

/**
 * Messages that a program may send per minute without being asked, and their size. Reading a message takes up to 0.16 ms, a
 * megabyte up to 60 ms (decision 0062): a flood is stopped before it has cost a second.
 */
const messagesPerMinute = 5000;
const bytesPerMinute = 8 * 1024 * 1024;
/** Output to stderr per minute. Reading a megabyte takes 2 ms. */
const stderrBytesPerMinute = 64 * 1024 * 1024;
const minuteMs = 60_000;

/** Counts what a program sends without being asked: notices, questions, and lines that are not messages. */
export class UnsolicitedMessages {
  #asked = 0;
  /** How long we did not read although the program had more to send. Its allowance does not grow during that time. */
  #pausedMs = 0;
  readonly #may = createAllowance(messagesPerMinute, () => performance.now() - this.#pausedMs);
  readonly #mayWrite = createAllowance(stderrBytesPerMinute);

  sent(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) this.#asked++;
  }

  /** @param message undefined for a line that is not a message. @throws UpstreamError over_limit */
  received(message: JSONRPCMessage | undefined, bytes: number): void {
    const isAnswer = message !== undefined && !('method' in message) && this.#asked > 0;
    if (isAnswer) this.#asked--;
    else if (!this.#may(1 + (bytes / bytesPerMinute) * messagesPerMinute)) {
      throw tooMuch(`${messagesPerMinute} messages, or ${inMegabytes(bytesPerMinute)} of them, without being asked`);
    }
  }

  /** Counts output to stderr. @returns the error if the program must end */
  wroteToStderr(bytes: number): UpstreamError | undefined {
    return this.#mayWrite(bytes) ? undefined : tooMuch(`${inMegabytes(stderrBytesPerMinute)} to stderr`);
  }

  async pauseFor(wait: Promise<void>): Promise<void> {
    const begunMs = performance.now();
    await wait;
    this.#pausedMs += performance.now() - begunMs;
  }
}

function tooMuch(what: string): UpstreamError {
  return new UpstreamError('over_limit', `it sent more than ${what} within a minute`);
}

function inMegabytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MB`;
}

/**
 * An allowance per minute that refills evenly, so that a program below that rate is never refused.
 * @returns a function that spends an amount, and returns whether the allowance covered it
 */
function createAllowance(perMinute: number, now: () => number = () => performance.now()) {
  let spent = 0;
  let lastMs = now();
  return (amount: number): boolean => {
    const nowMs = now();
    spent = Math.max(0, spent - ((nowMs - lastMs) / minuteMs) * perMinute) + amount;
    lastMs = nowMs;
    return spent <= perMinute;
  };
}
