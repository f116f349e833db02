import type { CallRequest } from '../../../call/call-request.ts';
import { unusableState } from '../request-state.ts';
import { LostCallError } from './lost-call.ts';
import { readEnd } from './round-end.ts';
import type { RoundNotice } from './round-notices.ts';

/** How long the other process may take to confirm that it runs a round. */
const confirmationMs = 3000;
/** Silence after which a confirmed round counts as lost. */
const silenceMs = 6000;

const refusals = {
  unknown: unusableState,
  over: () => new LostCallError('over'),
  stopped: () => new LostCallError('stopped'),
  too_much: () => new LostCallError('too_much'),
};

/**
 * A round that was sent to another process. `sent`: that process has not said anything yet. `running`: it said that it runs
 * the round. `ended`: it will not run the round any more.
 */
export class SentRound {
  #state: 'sent' | 'running' | 'ended' = 'sent';
  #isClosed = false;
  #silence: NodeJS.Timeout | undefined;
  readonly #answer = Promise.withResolvers<object>();
  readonly #client: Pick<CallRequest<unknown>, 'onProgress' | 'onLog'>;
  readonly #withdrawRow: () => Promise<unknown>;

  /** @param withdrawRow deletes the round's row; resolves to undefined if the other process has taken it */
  constructor(client: Pick<CallRequest<unknown>, 'onProgress' | 'onLog'>, withdrawRow: () => Promise<unknown>) {
    this.#client = client;
    this.#withdrawRow = withdrawRow;
    // it may fail before answered() is called
    this.#answer.promise.catch(() => {});
  }

  /** Resolves with the answer for the client. @throws what the round failed with */
  async answered(signal: AbortSignal): Promise<object> {
    const hangUp = () => this.fail(new Error('the client has gone'));
    if (this.#state === 'sent') this.#wait();
    if (signal.aborted) hangUp();
    signal.addEventListener('abort', hangUp, { once: true });
    try {
      return await this.#answer.promise;
    } finally {
      signal.removeEventListener('abort', hangUp);
    }
  }

  receive(notice: RoundNotice): void {
    this.#heard();
    if (notice.kind === 'progress') this.#client.onProgress?.(notice.progress);
    if (notice.kind === 'log') this.#client.onLog?.(notice.log);
    if (notice.kind === 'refused') this.end(refusals[notice.why]());
  }

  take(message: string): void {
    this.#state = 'ended';
    const end = readEnd(message);
    if ('answer' in end) this.#answer.resolve(end.answer);
    else this.#answer.reject(end.error);
  }

  end(error?: unknown): void {
    this.#state = 'ended';
    this.#answer.reject(error);
  }

  /** Gives the round up here. The other process may still run it. */
  fail(error: unknown): void {
    this.#answer.reject(error);
  }

  /** Stops the timer. @returns whether the round has ended */
  close(): boolean {
    this.#isClosed = true;
    clearTimeout(this.#silence);
    return this.#state === 'ended';
  }

  #heard(): void {
    if (this.#state === 'sent') this.#state = 'running';
    this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#silence);
    if (this.#isClosed) return;
    const limitMs = this.#state === 'sent' ? confirmationMs : silenceMs;
    this.#silence = setTimeout(() => void this.#giveUp().catch(this.#answer.reject), limitMs);
  }

  /** A round whose row is still there has not run. Its call stays parked and its state valid: the other process may be slow. */
  async #giveUp(): Promise<void> {
    if (this.#state !== 'sent') return this.fail(new LostCallError('stopped'));
    if (await this.#withdrawRow()) return this.end(new LostCallError('over'));
    this.#heard();
  }
}
