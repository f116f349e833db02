import type { Clock } from '#platform/clock.ts';
import type { Timers } from '../pool/timers.ts';

export type TurnLimits = {
  /** Concurrent discoveries. A server that hangs keeps its turn until its deadline. */
  atOnce: number;
  /** Discoveries that may begin immediately after an idle time. */
  burst: number;
  perSecond: number;
};

/** A discovery takes about 5 ms of CPU with the database: 45/s use a quarter of a core, and 5,000 begin within 111 s. */
const defaults: TurnLimits = { atOnce: 256, burst: 32, perSecond: 45 };

/**
 * Limits the rate of discoveries. When thousands of servers have to be discovered, as at a start, calls and sign-ins
 * must not wait for them.
 */
export function createAskTurns(options: { clock: Clock; timers: Timers; limits?: TurnLimits | undefined }) {
  const { clock, timers, limits = defaults } = options;
  const waiting: (() => void)[] = [];
  let next = 0;
  let underWay = 0;
  let stopped = false;
  /** Discoveries that may begin, as of `countedAtMs`. */
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
    /** Resolves when the caller may begin. `done` lets the next caller begin. Resolves immediately after a stop. */
    take(): Promise<{ done(): void }> {
      if (stopped) return Promise.resolve({ done() {} });
      const { promise, resolve } = Promise.withResolvers<{ done(): void }>();
      waiting.push(() => resolve(turn()));
      begin();
      return promise;
    },
    waiting: (): number => waiting.length - next,
    /** Lets every waiting caller begin. */
    stop(): void {
      stopped = true;
      cancelTimer?.();
      for (const resolveTurn of waiting.slice(next)) resolveTurn();
      waiting.length = 0;
      next = 0;
    },
  };
}

export type AskTurns = ReturnType<typeof createAskTurns>;
