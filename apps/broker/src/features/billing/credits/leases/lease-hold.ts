import type { Hold } from '../charges.ts';
import type { UsageRow } from '../usage-row.ts';
import type { Lease } from './lease.ts';
import type { FinishedCall } from '../settle/settle-calls.ts';

export type EndedCall = FinishedCall & { lease: Lease };

export type HoldEnds = {
  write(call: EndedCall): Promise<void> | undefined;
  release(lease: Lease, credits: number): void;
  /** Whether this broker was silent for so long that others may have reclaimed its leases. */
  mayBeDead(): boolean;
};

/** Credits reserved in a lease. A class, because every charged call creates one. */
export class LeaseHold implements Hold {
  readonly kind = 'hold';
  readonly credits: number;
  readonly #lease: Lease;
  readonly #ends: HoldEnds;

  constructor(lease: Lease, credits: number, ends: HoldEnds) {
    this.credits = credits;
    this.#lease = lease;
    this.#ends = ends;
  }

  get available(): number {
    return this.#lease.available;
  }

  get isLost(): boolean {
    return this.#lease.isReclaimed || this.#ends.mayBeDead();
  }

  settle(row: UsageRow): Promise<void> | undefined {
    return this.#ends.write({ lease: this.#lease, row, isAbort: false });
  }

  settleAbort(row: UsageRow): void {
    // no answer waits for it
    void this.#ends.write({ lease: this.#lease, row, isAbort: true });
  }

  release(): void {
    this.#ends.release(this.#lease, this.credits);
  }
}
