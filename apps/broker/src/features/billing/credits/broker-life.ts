import { monotonicMs, type Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { beat, enrolBroker, leaveBrokers, type OwnLease } from './broker-beats.ts';
import { BrokerIsDead } from './leases/grant-leases.ts';
import type { LedgerTimes } from './ledger.ts';

type Parts = { uuid: () => string; clock: Clock; times: LedgerTimes };

/**
 * The heartbeats of this broker. Without leases and waiting calls it writes none: others may then consider it dead, and it
 * continues under another id.
 */
export class BrokerLife {
  readonly #parts: Parts;
  #id: string;
  #isEnrolled = false;
  /** When the last confirmed heartbeat was sent. */
  #seen = { monotonicMs: -Infinity, wallMs: 0 };
  #activeAtMs: number;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#id = parts.uuid();
    this.#activeAtMs = monotonicMs(parts.clock);
  }

  get id(): string {
    return this.#id;
  }

  get isAlive(): boolean {
    return this.#silenceMs() < this.#parts.times.aliveMs;
  }

  /** Whether others may have reclaimed its leases. */
  get mayBeDead(): boolean {
    return this.#silenceMs() >= this.#parts.times.lifeMs;
  }

  get isHeartbeatDue(): boolean {
    return this.#silenceMs() >= this.#parts.times.beatMs;
  }

  /** Whether it has had neither leases nor calls for a while. */
  get isIdle(): boolean {
    return monotonicMs(this.#parts.clock) - this.#activeAtMs > 2 * this.#parts.times.lifeMs;
  }

  wasActive(): void {
    this.#activeAtMs = monotonicMs(this.#parts.clock);
  }

  /**
   * Sends a heartbeat if it is due.
   * @returns the leases that the database has for this broker; undefined where no heartbeat was due
   * @throws BrokerIsDead when another broker has declared it dead
   */
  async beat(query: Query): Promise<readonly OwnLease[] | undefined> {
    if (!this.isHeartbeatDue || this.isIdle) return undefined;
    if (!this.#isEnrolled) await enrolBroker(query, this.#id);
    this.#isEnrolled = true;
    const at = { monotonicMs: monotonicMs(this.#parts.clock), wallMs: this.#parts.clock.now() };
    const leases = await beat(query, this.#id, this.#parts.times.lifeMs);
    if (!leases) throw new BrokerIsDead();
    this.#seen = at;
    return leases;
  }

  /** Takes a new id, after another broker has declared the old one dead and reclaimed its leases. */
  restart(): void {
    this.#id = this.#parts.uuid();
    this.#isEnrolled = false;
    this.#seen = { monotonicMs: -Infinity, wallMs: 0 };
  }

  /** Removes this broker. Otherwise the others would consider it dead only after a silence. */
  async leave(query: Query): Promise<void> {
    if (this.#isEnrolled) await leaveBrokers(query, this.#id).catch(() => {});
  }

  /** Measured by both clocks: one stands still while a virtual machine is suspended, the other may be set back. */
  #silenceMs(): number {
    return Math.max(
      monotonicMs(this.#parts.clock) - this.#seen.monotonicMs,
      this.#parts.clock.now() - this.#seen.wallMs,
    );
  }
}
