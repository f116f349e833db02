import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { createAllowance } from '../wire/allowance.ts';
import { UpstreamError } from '../upstream-error.ts';

/**
 * What a program may send within a minute without being asked: messages, or this much of them. Reading one costs us up to
 * 0.16 ms, a megabyte up to 60 ms (decision 0062): a flood ends before it has cost a second.
 */
const messagesPerMinute = 5000;
const bytesPerMinute = 8 * 1024 * 1024;
/** The same of stderr, whose reading costs 2 ms a megabyte. */
const stderrPerMinute = 64 * 1024 * 1024;

/** Counts what a program sends that is no answer to a request of ours: notices, questions, and lines that say nothing. */
export class UnaskedMessages {
  /** Requests that it has not answered. */
  #asked = 0;
  /** For how long it had more to send and we did not read: in this time it earns nothing. */
  #heldMs = 0;
  readonly #may = createAllowance(messagesPerMinute, () => performance.now() - this.#heldMs);
  readonly #mayWrite = createAllowance(stderrPerMinute);

  sent(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) this.#asked++;
  }

  /**
   * @param message undefined for a line that is none
   * @throws UpstreamError over_limit
   */
  came(message: JSONRPCMessage | undefined, bytes: number): void {
    const isAnswer = message !== undefined && !('method' in message) && this.#asked > 0;
    if (isAnswer) this.#asked--;
    else if (!this.#may(1 + (bytes / bytesPerMinute) * messagesPerMinute)) {
      throw tooMuch(`${messagesPerMinute} messages, or ${inMegabytes(bytesPerMinute)} of them, without being asked`);
    }
  }

  /** @returns why a program must end that wrote this to stderr */
  wrote(bytes: number): UpstreamError | undefined {
    return this.#mayWrite(bytes) ? undefined : tooMuch(`${inMegabytes(stderrPerMinute)} to stderr`);
  }

  /** Waits before we read on. */
  async hold(wait: Promise<void>): Promise<void> {
    const begunMs = performance.now();
    await wait;
    this.#heldMs += performance.now() - begunMs;
  }
}

function tooMuch(what: string): UpstreamError {
  return new UpstreamError('over_limit', `it sent more than ${what} within a minute`);
}

function inMegabytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MB`;
}
