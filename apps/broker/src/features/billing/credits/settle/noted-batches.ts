import type { EndedCall } from '../leases/lease-hold.ts';

/** Recorded calls. Charged calls leave their batch; an empty batch is dropped. */
export type Batch = { id: string; calls: EndedCall[] };

/** Recorded batches that are not charged yet, the oldest first. */
export class NotedBatches {
  #batches: Batch[] = [];
  #calls = 0;
  /** When the first of them was recorded, or the last attempt to charge them ended. */
  #sinceMs = 0;
  /** Ids of batches whose calls are all charged. */
  #over: string[] = [];

  /** Calls that are not charged, including those that are being charged. */
  get calls(): number {
    return this.#calls;
  }

  get sinceMs(): number {
    return this.#sinceMs;
  }

  get isOver(): boolean {
    return this.#calls + this.#over.length === 0;
  }

  add(batch: Batch, nowMs: number): void {
    if (this.#batches.length === 0) this.#sinceMs = nowMs;
    this.#batches.push(batch);
    this.#calls += batch.calls.length;
  }

  /** Takes the oldest batches, until they have this many calls. */
  take(mostCalls: number): Batch[] {
    let calls = 0;
    let count = 0;
    while (count < this.#batches.length && calls < mostCalls) calls += this.#batches[count++]?.calls.length ?? 0;
    return this.#batches.splice(0, count);
  }

  /** Puts batches back after charging. @param left calls to retry: their accounts were busy, or they may be charged already */
  putBack(batches: readonly Batch[], left: ReadonlySet<EndedCall>, nowMs: number): void {
    for (const batch of batches) {
      const before = batch.calls.length;
      batch.calls = batch.calls.filter((call) => left.has(call));
      this.#calls -= before - batch.calls.length;
    }
    this.#over.push(...batches.flatMap(({ id, calls }) => (calls.length === 0 ? [id] : [])));
    this.#batches = [...batches.filter(({ calls }) => calls.length > 0), ...this.#batches];
    this.#sinceMs = nowMs;
  }

  /** Drops the batches that are over. @throws the error of `drop`: then they are dropped with the next ones */
  async dropOver(drop: (ids: readonly string[]) => Promise<void>): Promise<void> {
    if (this.#over.length === 0) return;
    const ids = this.#over;
    this.#over = [];
    try {
      await drop(ids);
    } catch (error) {
      this.#over.push(...ids);
      throw error;
    }
  }
}
