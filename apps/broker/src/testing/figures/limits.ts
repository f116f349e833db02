import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';
import { watchLongestTurn } from './longest-turn.ts';
import { areLimitsHeld } from './proof-size.ts';

export { areLimitsHeld };

/**
 * Figures that depend on the machine: times, processor times, memory. `npm run limits` measures them, with nothing else
 * running, and checks them against their bounds. In `npm test` the same tests run once and judge no figure, so a slow
 * or busy machine makes no test fail.
 */

/**
 * The part of the machine that a figure depends on. Its bound grows with the slowness that scripts/limits.ts measures.
 */
export type MachinePart = 'processor' | 'start' | 'disk' | 'none';

export type LimitOptions = {
  /** Part of the machine; `processor` by default. */
  scales?: MachinePart;
  /** Name of the measurement, if one test measures several. */
  what?: string;
};

/** One line of the file that scripts/limits.ts reads. */
export type Measured = { test: string; figure: string; bound: string; isHeld: boolean };

/** Rounds until a figure is below its bound. Noise makes a figure larger, never smaller. */
const mostRounds = 8;

/** Holds the duration of `act` below a bound in milliseconds. */
export async function limitElapsed(boundMs: number, act: () => unknown, options: LimitOptions = {}): Promise<void> {
  await limit({ bound: boundMs, unit: 'ms', ...options }, act, async () => {
    const begun = performance.now();
    await act();
    return performance.now() - begun;
  });
}

/** Holds the processor time of this thread during `act` below a bound in milliseconds. */
export async function limitProcessor(boundMs: number, act: () => unknown, options: LimitOptions = {}): Promise<void> {
  await limit({ bound: boundMs, unit: 'ms of processor', ...options }, act, async () => {
    const before = process.threadCpuUsage();
    await act();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
}

/**
 * Holds the longest turn of the event loop during `act` below a bound in milliseconds. It counts processor time: other
 * processes are not included.
 */
export async function limitTurn(boundMs: number, act: () => unknown, options: LimitOptions = {}): Promise<void> {
  await limit({ bound: boundMs, unit: 'ms in one turn', ...options }, act, async () => {
    const longestTurnMs = watchLongestTurn();
    try {
      await act();
    } finally {
      longestTurnMs();
    }
    return longestTurnMs();
  });
}

/** Holds the growth of this process's resident memory during `act`, at its peak, below a bound in MiB. */
export async function limitMemory(boundMib: number, act: () => unknown, options: LimitOptions = {}): Promise<void> {
  await limit({ bound: boundMib, unit: 'MiB more', scales: 'none', ...options }, act, async () => {
    const before = process.memoryUsage().rss;
    let peak = before;
    const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    try {
      await act();
    } finally {
      clearInterval(sampler);
    }
    return (Math.max(peak, process.memoryUsage().rss) - before) / 2 ** 20;
  });
}

/** Holds a figure that a test measures itself below a bound. `measure` runs only if limits are judged. */
export async function limitFigure(
  bound: number,
  unit: string,
  measure: () => number | Promise<number>,
  options: LimitOptions = {},
): Promise<void> {
  await limit({ bound, unit, ...options }, () => undefined, measure);
}

/** Runs `act`, or measures it if limits are judged. */
async function limit(
  { bound, unit, scales = 'processor', what }: LimitOptions & { bound: number; unit: string },
  act: () => unknown,
  measure: () => number | Promise<number>,
): Promise<void> {
  if (!areLimitsHeld()) {
    await act();
    return;
  }
  const factor = factorOf(scales);
  let figure = Number.POSITIVE_INFINITY;
  for (let round = 0; round < mostRounds && figure >= bound * factor; round++) {
    figure = Math.min(figure, await measure());
  }
  judge({
    what,
    figure: `${figure.toFixed(1)} ${unit}`,
    bound: `${bound} × ${factor.toFixed(2)}`,
    isHeld: figure < bound * factor,
  });
}

/** Judges figures by a separate rule, if limits are judged. @param bound the rule in words */
export function limitRule(isHeld: boolean, figure: string, bound: string): void {
  if (areLimitsHeld()) judge({ figure, bound, isHeld });
}

function judge({ what, ...judged }: Omit<Measured, 'test'> & { what?: string | undefined }): void {
  const { currentTestName = '' } = expect.getState();
  const measured: Measured = { test: what === undefined ? currentTestName : `${currentTestName}: ${what}`, ...judged };
  const file = process.env['SOUK_LIMITS'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(measured)}\n`);
  expect(judged.isHeld, `${measured.test}: ${judged.figure}, allowed ${judged.bound}`).toBe(true);
}

/** Slowness of this machine, 1 or more; 1 if nothing was calibrated. */
function factorOf(part: MachinePart): number {
  const factors: Record<string, number> = JSON.parse(process.env['SOUK_LIMIT_FACTORS'] ?? '{}');
  return part === 'none' ? 1 : (factors[part] ?? 1);
}
