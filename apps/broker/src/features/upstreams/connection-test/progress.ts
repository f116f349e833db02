import type { ConnectionTestEvent, TestStep } from '@souk/contract/admin/servers.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';

/** Longest text of a step: a server's message may be a megabyte. */
const maxTextCharacters = 1000;

export type Tell = (event: ConnectionTestEvent) => void;

/** Reports the steps of a test sequentially. */
export type Progress = {
  readonly current: TestStep | undefined;
  begin(step: TestStep): void;
  /** Ends the current step. @param ms its duration; by default the time since it began */
  pass(text: string, ms?: number): void;
  skip(text: string): void;
  fail(text: string): void;
  reportUnreached(): void;
};

export function createProgress(steps: readonly TestStep[], tell: Tell): Progress {
  const left = new Set(steps);
  let current: TestStep | undefined;
  let beganAt = 0;

  function end(result: 'passed' | 'failed' | 'skipped', text: string, ms?: number): void {
    if (current === undefined) return;
    const took = Math.round(ms ?? performance.now() - beganAt);
    const step = current;
    current = undefined;
    left.delete(step);
    tell({ type: 'step', step, result, text: cleanLabel(text, maxTextCharacters), ms: took });
  }

  function begin(step: TestStep): void {
    current = step;
    beganAt = performance.now();
    tell({ type: 'working', step });
  }

  return {
    get current() {
      return current;
    },
    begin,
    pass: (text, ms) => end('passed', text, ms),
    skip: (text) => end('skipped', text, 0),
    fail: (text) => end('failed', text),
    reportUnreached() {
      for (const step of left) {
        left.delete(step);
        tell({ type: 'step', step, result: 'not-reached', text: '', ms: 0 });
      }
    },
  };
}
