import type { CallRequest } from '../../../call/call-request.ts';
import { unusableState } from '../request-state.ts';
import { LostCallError } from './lost-call.ts';
import { readEnd } from './round-end.ts';
import type { RoundNotice } from './round-notices.ts';

/** How long the other process may take to say that it runs a round, and how long it may be silent from then on. */
const firstWordMs = 3000;
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
  readonly #clawback: () => Promise<unknown>;

  /** @param clawback takes the round's row out; undefined if the other process has */
  constructor(client: Pick<CallRequest<unknown>, 'onProgress' | 'onLog'>, clawback: () => Promise<unknown>) {
    this.#client = client;
    this.#clawback = clawback;
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

  heed(notice: RoundNotice): void {
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
    const limitMs = this.#state === 'sent' ? firstWordMs : silenceMs;
    this.#silence = setTimeout(() => void this.#giveUp().catch(this.#answer.reject), limitMs);
  }

  /** A round that is still in its row has not run: its state stays valid, in case the other process is only slow. */
  async #giveUp(): Promise<void> {
    if (this.#state !== 'sent') return this.fail(new LostCallError('stopped'));
    if (await this.#clawback()) return this.end(new LostCallError('over'));
    this.#heard();
  }
}
