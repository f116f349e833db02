/** A cheap AbortSignal, for calls that are too many to have a real one each. */
export class Cancellation {
  #aborted = false;
  #onAbort: (() => void) | undefined;
  #reason: unknown;

  get aborted(): boolean {
    return this.#aborted;
  }

  /** Why it was cancelled; undefined if the caller did it. */
  get reason(): unknown {
    return this.#reason;
  }

  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#onAbort?.();
  }

  /** Sets the only listener. Calls it immediately if the call is already cancelled. */
  listen(onAbort: (() => void) | undefined): void {
    this.#onAbort = onAbort;
    if (this.#aborted) onAbort?.();
  }
}

/** Follows a signal, for code that takes a Cancellation. */
export function cancellationOf(signal: AbortSignal | Cancellation): Cancellation {
  if (signal instanceof Cancellation) return signal;
  const cancellation = new Cancellation();
  if (signal.aborted) cancellation.abort(signal.reason);
  else signal.addEventListener('abort', () => cancellation.abort(signal.reason), { once: true });
  return cancellation;
}

/** Follows a Cancellation as its listener, for code that takes an AbortSignal. */
export function abortSignalOf(signal: AbortSignal | Cancellation): AbortSignal {
  if (!(signal instanceof Cancellation)) return signal;
  const controller = new AbortController();
  signal.listen(() => controller.abort(signal.reason));
  return controller.signal;
}
