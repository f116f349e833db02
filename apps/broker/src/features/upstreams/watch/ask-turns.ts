import type { Clock } from '#platform/clock.ts';
import type { Timers } from '../pool/timers.ts';

/**
 * Turns for asking servers what they offer. Thousands of servers that are to be asked at once, as at a start, are asked a
 * few after the other, so that calls and sign-ins go on beside it.
 */
export type AskTurns = {
  /** Resolves when the turn has come; `done` gives its place to the next one. Resolves at once after a stop. */
  take(): Promise<{ done(): void }>;
  /** How many wait. */
  waiting(): number;
  /** Lets all go that wait. */
  stop(): void;
};

export type TurnLimits = {
  /** Under way at the same time. A server that hangs holds its place until its deadline. */
  atOnce: number;
  /** Begun one right after the other, after a rest. */
  burst: number;
  perSecond: number;
};

/** A discovery takes some 5 ms of the processor, the database's included: a quarter of a core. 5,000 begin within 111 s. */
const defaults: TurnLimits = { atOnce: 256, burst: 32, perSecond: 45 };

export function createAskTurns(options: { clock: Clock; timers: Timers; limits?: TurnLimits | undefined }): AskTurns {
  const { clock, timers, limits = defaults } = options;
  const waiting: (() => void)[] = [];
  let next = 0;
  let underWay = 0;
  let stopped = false;
  /** How many may begin now, as of `countedAtMs`. */
  let allowed = limits.burst;
  let countedAtMs = clock.now();
  let cancelTimer: (() => void) | undefined;

  function count(): void {
    const nowMs = clock.now();
    allowed = Math.min(limits.burst, allowed + (Math.max(0, nowMs - countedAtMs) * limits.perSecond) / 1000);
    countedAtMs = nowMs;
  }

  function begin(): void {
    count();
    while (next < waiting.length && underWay < limits.atOnce && allowed >= 1) {
      allowed--;
      underWay++;
      waiting[next++]?.();
    }
    if (next === waiting.length) {
      waiting.length = 0;
      next = 0;
    } else if (underWay < limits.atOnce) {
      cancelTimer ??= timers.after(Math.ceil(((1 - allowed) * 1000) / limits.perSecond), () => {
        cancelTimer = undefined;
        begin();
      });
    }
  }

  function turn(): { done(): void } {
    let isDone = false;
    return {
      done() {
        if (isDone) return;
        isDone = true;
        underWay--;
        begin();
      },
    };
  }

  return {
    take() {
      if (stopped) return Promise.resolve({ done() {} });
      const { promise, resolve } = Promise.withResolvers<{ done(): void }>();
      waiting.push(() => resolve(turn()));
      begin();
      return promise;
    },
    waiting: () => waiting.length - next,
    stop() {
      stopped = true;
      cancelTimer?.();
      for (const go of waiting.slice(next)) go();
      waiting.length = 0;
      next = 0;
    },
  };
}
