import type { UpstreamErrorKind } from '#adapters/mcp/upstream-error.ts';
import type { Clock } from '#platform/clock.ts';

/** Gateway.md, Lifetimes and limits. */
const failuresToOpen = 5;
const firstOpenMs = 30_000;
const longestOpenMs = 5 * 60_000;

/** What an exchange says of the server's health; undefined is an answer, be it an error of the tool's own. */
export type CallOutcome = UpstreamErrorKind | undefined;

/** It was not there. */
const gone: ReadonlySet<CallOutcome> = new Set(['unreachable', 'closed', 'session_lost']);
const ill: ReadonlySet<CallOutcome> = new Set([...gone, 'timeout', 'bad_upstream']);
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
  /** The one call that finds out how a server is that failed. */
  readonly isProbe: boolean;
  /** What the server had answered by then. */
  readonly answersBefore: number;
};

/**
 * Keeps calls from a server that fails every time: it gets time to recover, and callers an answer at once. A call that
 * takes longer than its deadline says that of itself, not of a server that answered others meanwhile: one person's slow
 * questions close it for nobody.
 */
export type Breaker = {
  /** Undefined while the server is left alone, or somebody else's call finds out how it is. */
  enter(): BreakerPass | undefined;
  /** What became of a call that entered. */
  leave(pass: BreakerPass, outcome: CallOutcome): void;
  /** There is news of the server: the next call may find out at once. */
  retryNow(): void;
  /**
   * A check of ours was answered. A server that was not there, for a restart say, is there again: the next call may find
   * out. Only once: one that is gone in each call and there for each check is left alone as any other.
   */
  seenWell(): void;
  /** When it may be asked again; undefined while all is well. */
  readonly openUntilMs: number | undefined;
  /** Nothing to remember. */
  readonly isWell: boolean;
};

export function createBreaker(clock: Clock): Breaker {
  let failures = 0;
  let answers = 0;
  let openMs = firstOpenMs;
  let openUntilMs: number | undefined;
  let probing = false;
  /** Of the failures in a row. */
  let wasGone = true;

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
      if (ill.has(outcome)) {
        wasGone = gone.has(outcome) && (wasGone || failures === 0);
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
    seenWell() {
      if (openUntilMs !== undefined && wasGone && openMs === firstOpenMs) openUntilMs = clock.now();
    },
    get openUntilMs() {
      return openUntilMs;
    },
    get isWell() {
      return failures === 0 && openUntilMs === undefined;
    },
  };
}
