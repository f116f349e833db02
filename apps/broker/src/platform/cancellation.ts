/** An end that a caller may put to its call: what AbortSignal is, without the cost of one for each call. */
export class Cancellation {
  #aborted = false;
  #onAbort: (() => void) | undefined;
  #reason: unknown;

  get aborted(): boolean {
    return this.#aborted;
  }

  /** Why, where it was not the caller itself. */
  get reason(): unknown {
    return this.#reason;
  }

  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#onAbort?.();
  }

  /** One listener, which replaces the one before. Called at once when the call is cancelled already. */
  listen(onAbort: (() => void) | undefined): void {
    this.#onAbort = onAbort;
    if (this.#aborted) onAbort?.();
  }
}

/** The same end as a Cancellation, for code that takes no AbortSignal. */
export function cancellationOf(signal: AbortSignal | Cancellation): Cancellation {
  if (signal instanceof Cancellation) return signal;
  const cancellation = new Cancellation();
  if (signal.aborted) cancellation.abort(signal.reason);
  else signal.addEventListener('abort', () => cancellation.abort(signal.reason), { once: true });
  return cancellation;
}

/** The same end as an AbortSignal, for code that takes one. It becomes the listener of a Cancellation. */
export function abortSignalOf(signal: AbortSignal | Cancellation): AbortSignal {
  if (!(signal instanceof Cancellation)) return signal;
  const controller = new AbortController();
  signal.listen(() => controller.abort(signal.reason));
  return controller.signal;
}
