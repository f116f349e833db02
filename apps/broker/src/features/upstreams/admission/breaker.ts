import type { UpstreamErrorKind } from '#adapters/mcp/upstream-error.ts';
import type { Clock } from '#platform/clock.ts';

/** Gateway.md, Lifetimes and limits. */
const failuresToOpen = 5;
const firstOpenMs = 30_000;
const longestOpenMs = 5 * 60_000;

/** What an exchange says of the server's health; undefined is an answer, including an error of the tool's own. */
export type CallOutcome = UpstreamErrorKind | undefined;

const unreachable: ReadonlySet<CallOutcome> = new Set(['unreachable', 'closed', 'session_lost']);
const failing: ReadonlySet<CallOutcome> = new Set([...unreachable, 'timeout', 'bad_upstream']);
/** Nothing was asked of the server, or it had no time to answer. */
const saysNothing: ReadonlySet<CallOutcome> = new Set([
  'busy',
  'cancelled',
  'refused_address',
  'restarting',
  'quarantined',
  'no_sandbox',
]);

export type BreakerPass = {
  /** The one call that a half-open circuit lets through. */
  readonly isProbe: boolean;
  /** How many calls the server had answered by then. */
  readonly answersBefore: number;
};

/**
 * Keeps calls from a server that fails every time: it gets time to recover, and callers get an answer at once. A timeout
 * does not count when the server answered other calls meanwhile: then the call was slow, not the server, and one person's
 * slow calls do not open the circuit for everyone.
 */
export type Breaker = {
  /** Undefined while the circuit is open, or half-open with its probe under way. */
  enter(): BreakerPass | undefined;
  /** What became of a call that entered. */
  leave(pass: BreakerPass, outcome: CallOutcome): void;
  /** There is news of the server: an open circuit becomes half-open at once. */
  retryNow(): void;
  /**
   * A check of ours was answered. An open circuit becomes half-open when the server had been unreachable, for a restart
   * say. Only once: for a server that answers each check and fails each call the waiting times apply.
   */
  answeredCheck(): void;
  /** When the circuit becomes half-open; undefined while it is closed. */
  readonly openUntilMs: number | undefined;
  /** Closed and without a recent failure: there is nothing to remember. */
  readonly isClear: boolean;
};

export function createBreaker(clock: Clock): Breaker {
  let failures = 0;
  let answers = 0;
  let openMs = firstOpenMs;
  let openUntilMs: number | undefined;
  let probing = false;
  /** Whether all of the failures in a row were of that kind. */
  let wasUnreachable = true;

  function open(durationMs: number): void {
    openMs = durationMs;
    openUntilMs = clock.now() + durationMs;
  }

  return {
    enter() {
      const isProbe = openUntilMs !== undefined;
      if (openUntilMs !== undefined && (probing || clock.now() < openUntilMs)) return undefined;
      if (isProbe) probing = true;
      return { isProbe, answersBefore: answers };
    },
    leave(pass, outcome) {
      if (pass.isProbe) probing = false;
      if (saysNothing.has(outcome) || (outcome === 'timeout' && answers > pass.answersBefore)) return;
      if (failing.has(outcome)) {
        wasUnreachable = unreachable.has(outcome) && (wasUnreachable || failures === 0);
        failures++;
        if (pass.isProbe) open(Math.min(openMs * 2, longestOpenMs));
        else if (openUntilMs === undefined && failures >= failuresToOpen) open(firstOpenMs);
      } else {
        answers++;
        failures = 0;
        openUntilMs = undefined;
      }
    },
    retryNow() {
      if (openUntilMs !== undefined) openUntilMs = clock.now();
    },
    answeredCheck() {
      if (openUntilMs !== undefined && wasUnreachable && openMs === firstOpenMs) openUntilMs = clock.now();
    },
    get openUntilMs() {
      return openUntilMs;
    },
    get isClear() {
      return failures === 0 && openUntilMs === undefined;
    },
  };
}
