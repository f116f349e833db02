import type { EndedCall } from '../leases/lease-hold.ts';

/** Answers that wait until their calls are recorded, for a limited time: an unreachable database must not block them. */
export class UnnotedAnswers {
  readonly #answers = new Map<EndedCall, () => void>();
  readonly #patienceMs: number;
  #patience: NodeJS.Timeout | undefined;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  get size(): number {
    return this.#answers.size;
  }

  wait(call: EndedCall): Promise<void> {
    this.#patience ??= setTimeout(() => this.answerAll(), this.#patienceMs);
    return new Promise((resolve) => this.#answers.set(call, resolve));
  }

  answer(noted: readonly EndedCall[]): void {
    for (const call of noted) {
      this.#answers.get(call)?.();
      this.#answers.delete(call);
    }
    clearTimeout(this.#patience);
    this.#patience = this.size === 0 ? undefined : setTimeout(() => this.answerAll(), this.#patienceMs);
  }

  answerAll(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    for (const answer of this.#answers.values()) answer();
    this.#answers.clear();
  }
}
