import type { UpstreamErrorKind } from '#adapters/mcp/upstream-error.ts';
import type { Clock } from '#platform/clock.ts';

/** Gateway.md, Lifetimes and limits. */
const failuresToOpen = 5;
const firstOpenMs = 30_000;
const longestOpenMs = 5 * 60_000;

/** What an exchange says of the server's health; undefined is an answer, including an error of the tool's own. */
export type CallOutcome = UpstreamErrorKind | undefined;

const unreachable: ReadonlySet<CallOutcome> = new Set(['unreachable', 'closed', 'session_lost']);
const failing: ReadonlySet<CallOutcome> = new Set([...unreachable, 'timeout', 'bad_upstream', 'over_limit']);
/** Nothing was asked of the server, or it had no time to answer. */
const saysNothing: ReadonlySet<CallOutcome> = new Set([
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
  /** The one call that a half-open circuit lets through. */
  readonly isProbe: boolean;
  /** How many calls the server had answered by then. */
  readonly answersBefore: number;
  readonly person: string;
};

/**
 * Keeps calls from a server that fails every time: it gets time to recover, and callers get an answer at once. A timeout
 * does not count when the server answered other calls meanwhile: then the call was slow, not the server.
 *
 * `server`: the circuit for everyone opens when two people saw the failures, or a check of ours failed too: what one person
 * calls may fail for them alone, and they may mean it to. `person`: the circuit for one person opens by their failures.
 */
export class Breaker {
  readonly #clock: Clock;
  readonly #of: 'server' | 'person';
  /** Calls that failed in a row, and whose they were. */
  #failures = 0;
  #failedFirst: string | undefined;
  #failedForSeveral = false;
  /** Checks that failed in a row. */
  #failedChecks = 0;
  #answers = 0;
  #openMs = firstOpenMs;
  #openUntilMs: number | undefined;
  #probing = false;
  /** The person whose probe failed. Nobody else saw that failure, so that another person may probe before the time is over. */
  #failedProbeOf: string | undefined;
  /** Whether all of the failures in a row were of that kind. */
  #wasUnreachable = true;

  constructor(clock: Clock, of: 'server' | 'person') {
    this.#clock = clock;
    this.#of = of;
  }

  /** When the circuit becomes half-open; undefined while it is closed. */
  get openUntilMs(): number | undefined {
    return this.#openUntilMs;
  }

  /** Undefined while the circuit is open, or half-open with its probe under way. */
  enter(person: string): BreakerPass | undefined {
    const isProbe = this.#openUntilMs !== undefined;
    if (isProbe && !this.#mayProbe(person)) return undefined;
    if (isProbe) this.#probing = true;
    return { isProbe, answersBefore: this.#answers, person };
  }

  /** What became of a call that entered. */
  leave(pass: BreakerPass, outcome: CallOutcome): void {
    if (pass.isProbe) this.#probing = false;
    if (saysNothing.has(outcome) || (outcome === 'timeout' && this.#answers > pass.answersBefore)) return;
    if (failing.has(outcome)) this.#failed(pass, outcome);
    else this.#answered();
  }

  /** There is news of the server: an open circuit becomes half-open at once. */
  retryNow(): void {
    if (this.#openUntilMs !== undefined) this.#openUntilMs = this.#clock.now();
  }

  /**
   * A check of ours was answered. A circuit that failed checks alone opened is closed. One that calls opened becomes
   * half-open when the server had been unreachable, for a restart say. Only once: for a server that answers each check and
   * fails each call the waiting times apply.
   */
  answeredCheck(): void {
    this.#failedChecks = 0;
    if (this.#failures === 0) this.#close();
    else if (this.#wasUnreachable && this.#openMs === firstOpenMs) this.retryNow();
  }

  /** A check of ours failed: what people saw of the server is true for everyone. */
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
