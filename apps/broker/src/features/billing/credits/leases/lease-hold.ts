import type { Hold } from '../charges.ts';
import type { UsageRow } from '../usage-row.ts';
import type { Lease } from './lease.ts';
import type { FinishedCall } from '../settle/settle-calls.ts';

/** A call that ended, and what its hold was taken from. */
export type EndedCall = FinishedCall & { lease: Lease };

/** What becomes of a hold: the ledger writes its end, or gives its credits back. */
export type HoldEnds = {
  write(call: EndedCall): Promise<void> | undefined;
  release(lease: Lease, credits: number): void;
  /** This broker has shown no sign of life for so long that others may have taken its leases back. */
  isGivenUp(): boolean;
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
    return this.#lease.isGone || this.#ends.isGivenUp();
  }

  settle(row: UsageRow): Promise<void> | undefined {
    return this.#ends.write({ lease: this.#lease, row, isAbort: false });
  }

  settleAbort(row: UsageRow): void {
    // nobody waits for its answer
    void this.#ends.write({ lease: this.#lease, row, isAbort: true });
  }

  release(): void {
    this.#ends.release(this.#lease, this.credits);
  }
}
