import type { Clock } from '#platform/clock.ts';
import { monotonicMs } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { beat, enrolBroker, leaveBrokers, type OwnLease } from './broker-beats.ts';
import { BrokerIsDead } from './leases/grant-leases.ts';
import type { LedgerTimes } from './ledger.ts';

/**
 * The signs of life of this broker. While it has none to give, because it has no leases and no calls that wait, nothing is
 * written: others may then take it for dead, and it goes on under another id.
 */
export class BrokerLife {
  readonly #uuid: () => string;
  readonly #clock: Clock;
  readonly #times: LedgerTimes;
  #id: string;
  #isEnrolled = false;
  /** When the last confirmed sign was sent. */
  #seen = { monotonicMs: -Infinity, wallMs: 0 };
  #activeAtMs: number;

  constructor({ uuid, clock, times }: { uuid: () => string; clock: Clock; times: LedgerTimes }) {
    this.#uuid = uuid;
    this.#clock = clock;
    this.#times = times;
    this.#id = uuid();
    this.#activeAtMs = monotonicMs(clock);
  }

  get id(): string {
    return this.#id;
  }

  /** Whether leases may be granted to it. */
  get isAlive(): boolean {
    return this.#sinceSeenMs() < this.#times.aliveMs;
  }

  /** Whether others may have taken its leases back. */
  get isGivenUp(): boolean {
    return this.#sinceSeenMs() >= this.#times.lifeMs;
  }

  get isSignDue(): boolean {
    return this.#sinceSeenMs() >= this.#times.beatMs;
  }

  /** It has had neither leases nor calls for a while. */
  get isAtRest(): boolean {
    return monotonicMs(this.#clock) - this.#activeAtMs > 2 * this.#times.lifeMs;
  }

  wasActive(): void {
    this.#activeAtMs = monotonicMs(this.#clock);
  }

  /**
   * Shows that it lives, where that is due.
   * @returns the leases that the database has for it; undefined where nothing was due
   * @throws BrokerIsDead when others took it for dead
   */
  async show(query: Query): Promise<readonly OwnLease[] | undefined> {
    if (!this.isSignDue || this.isAtRest) return undefined;
    if (!this.#isEnrolled) await enrolBroker(query, this.#id);
    this.#isEnrolled = true;
    const at = { monotonicMs: monotonicMs(this.#clock), wallMs: this.#clock.now() };
    const leases = await beat(query, this.#id, this.#times.lifeMs);
    if (!leases) throw new BrokerIsDead();
    this.#seen = at;
    return leases;
  }

  /** Others took it for dead, and its leases back. */
  beginAnew(): void {
    this.#id = this.#uuid();
    this.#isEnrolled = false;
    this.#seen = { monotonicMs: -Infinity, wallMs: 0 };
  }

  /** Says that it ends; otherwise the others notice it later. */
  async leave(query: Query): Promise<void> {
    if (this.#isEnrolled) await leaveBrokers(query, this.#id).catch(() => {});
  }

  /** By both clocks: one stands still while a virtual machine is suspended, the other may be set back. */
  #sinceSeenMs(): number {
    return Math.max(monotonicMs(this.#clock) - this.#seen.monotonicMs, this.#clock.now() - this.#seen.wallMs);
  }
}
