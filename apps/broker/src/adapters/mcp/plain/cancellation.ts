/** An end that a caller may put to its call: what AbortSignal is, without the cost of one for each call. */
export class Cancellation {
  #aborted = false;
  #onAbort: (() => void) | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#onAbort?.();
  }

  /** The same end for what takes an AbortSignal; it becomes the listener. */
  toSignal(): AbortSignal {
    const controller = new AbortController();
    this.listen(() => controller.abort());
    return controller.signal;
  }

  /** One listener, which replaces the one before. Called at once when the end has come already. */
  listen(onAbort: (() => void) | undefined): void {
    this.#onAbort = onAbort;
    if (this.#aborted) onAbort?.();
  }
}
