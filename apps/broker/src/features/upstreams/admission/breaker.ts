import type { UpstreamErrorKind } from '#adapters/mcp/upstream-error.ts';
import type { Clock } from '#platform/clock.ts';

/** Consecutive failures that open a circuit. */
const failuresToOpen = 5;
const firstOpenMs = 30_000;
const longestOpenMs = 5 * 60_000;

/** Outcome of a call for the server's health; undefined if the server answered, even with an error of the tool. */
export type CallOutcome = UpstreamErrorKind | undefined;

const unreachable: ReadonlySet<CallOutcome> = new Set(['unreachable', 'closed', 'session_lost']);
const failing: ReadonlySet<CallOutcome> = new Set([...unreachable, 'timeout', 'bad_upstream', 'over_limit']);
/** Outcomes of calls that did not reach the server, or gave it no time to answer. */
const inconclusive: ReadonlySet<CallOutcome> = new Set([
  'busy',
  'cancelled',
  'refused_address',
  'restarting',
  'quarantined',
  'no_sandbox',
  'no_network',
  'not_allowed',
  'not_set_up',
  'folder_full',
  'shared_folder_full',
  'disk_full',
]);

export type BreakerPass = {
  /** Whether this is the probe: the one call that a half-open circuit lets through. */
  readonly isProbe: boolean;
  /** Number of calls that the server had answered when this one entered. */
  readonly answersBefore: number;
  readonly person: string;
};

/**
 * Stops calls to a server that fails every time, so that it can recover and callers get an immediate answer. A timeout does
 * not count when the server answered other calls meanwhile: then the call was slow, not the server.
 *
 * `server`: the circuit for everyone opens when two users saw the failures, or a health check failed too. One user's calls
 * may fail for them alone, even on purpose. `person`: the circuit for one user opens on that user's failures.
 */
export class Breaker {
  readonly #clock: Clock;
  readonly #of: 'server' | 'person';
  /** Consecutive failed calls, and the user who made the first one. */
  #failures = 0;
  #failedFirst: string | undefined;
  #failedForSeveral = false;
  #failedChecks = 0;
  #answers = 0;
  #openMs = firstOpenMs;
  #openUntilMs: number | undefined;
  #probing = false;
  /**
   * The user whose probe failed. Another user did not see that failure, and may probe before the circuit is half-open.
   */
  #failedProbeOf: string | undefined;
  /** Whether every consecutive failure was of the unreachable kind. */
  #wasUnreachable = true;

  constructor(clock: Clock, of: 'server' | 'person') {
    this.#clock = clock;
    this.#of = of;
  }

  /** Time when the circuit becomes half-open; undefined while it is closed. */
  get openUntilMs(): number | undefined {
    return this.#openUntilMs;
  }

  /** Returns undefined while the circuit is open, or half-open with its probe under way. */
  enter(person: string): BreakerPass | undefined {
    const isProbe = this.#openUntilMs !== undefined;
    if (isProbe && !this.#mayProbe(person)) return undefined;
    if (isProbe) this.#probing = true;
    return { isProbe, answersBefore: this.#answers, person };
  }

  leave(pass: BreakerPass, outcome: CallOutcome): void {
    if (pass.isProbe) this.#probing = false;
    if (inconclusive.has(outcome) || (outcome === 'timeout' && this.#answers > pass.answersBefore)) return;
    if (failing.has(outcome)) this.#failed(pass, outcome);
    else this.#answered();
  }

  /** Makes an open circuit half-open immediately. */
  retryNow(): void {
    if (this.#openUntilMs !== undefined) this.#openUntilMs = this.#clock.now();
  }

  /**
   * Records an answered health check. Closes a circuit that only failed checks opened. Makes one that failed calls
   * opened half-open if the server was unreachable, for example during a restart; only once, because a server that
   * answers every check and fails every call must stay paused for the open times.
   */
  answeredCheck(): void {
    this.#failedChecks = 0;
    if (this.#failures === 0) this.#close();
    else if (this.#wasUnreachable && this.#openMs === firstOpenMs) this.retryNow();
  }

  /** Records a failed health check: the failures that users saw apply to everyone. */
  failedCheck(outcome: CallOutcome): void {
    if (!failing.has(outcome)) return;
    this.#failedProbeOf = undefined;
    this.#failedChecks++;
    this.#openAfterFailures();
  }

  #mayProbe(person: string): boolean {
    if (this.#probing) return false;
    if (this.#clock.now() >= (this.#openUntilMs ?? 0)) return true;
    return this.#failedProbeOf !== undefined && this.#failedProbeOf !== person;
  }

  #failed({ isProbe, person }: BreakerPass, outcome: CallOutcome): void {
    this.#wasUnreachable = unreachable.has(outcome) && (this.#wasUnreachable || this.#failures === 0);
    if (this.#failures === 0) this.#failedFirst = person;
    else if (this.#failedFirst !== person) this.#failedForSeveral = true;
    this.#failures++;
    if (!isProbe) return this.#openAfterFailures();
    const isSecondOpinion = this.#failedProbeOf !== undefined && this.#clock.now() < (this.#openUntilMs ?? 0);
    this.#failedProbeOf = isSecondOpinion ? undefined : person;
    if (!isSecondOpinion) this.#open(Math.min(this.#openMs * 2, longestOpenMs));
  }

  #openAfterFailures(): void {
    if (this.#openUntilMs !== undefined || this.#failures + this.#failedChecks < failuresToOpen) return;
    const isSure = this.#of === 'person' || this.#failedForSeveral || this.#failedChecks > 0;
    if (isSure) this.#open(firstOpenMs);
  }

  #open(durationMs: number): void {
    this.#openMs = durationMs;
    this.#openUntilMs = this.#clock.now() + durationMs;
  }

  #answered(): void {
    this.#answers++;
    this.#failures = 0;
    this.#failedForSeveral = false;
    this.#failedChecks = 0;
    this.#close();
  }

  #close(): void {
    this.#openUntilMs = undefined;
    this.#failedProbeOf = undefined;
  }
}
