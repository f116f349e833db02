import { z } from 'zod';
import type { DelayFigures, LoopDelay } from './messages.ts';

/** Share of time without a processor. Above it the machine is too busy to measure delays. */
const scarceShare = 0.05;
/** Allowed growth of a turn. Calls that take 30 ms and may take half as long again have room for it. */
const longerTurnMs = 10;

/** Limit for a list while all upstreams are down. */
const listMs = 300;

/** Schema of the broker's report of its delays. */
const figures = z.object({ p99Ms: z.number(), maxMs: z.number() });
export const delays = z.object({ whole: figures, computed: figures, waitedShare: z.number() });

export type Turn = { durations: number[] } & LoopDelay;
export type Lists = { slowestMs: number } & LoopDelay;
export type Neighbours = Record<'alone' | 'beside', { p99Ms: number; computedP99Ms: number; waitedShare: number }>;

export function sumUp(turns: readonly Turn[]): Neighbours['alone'] {
  return {
    p99Ms: p99Of(turns.flatMap(({ durations }) => durations)),
    computedP99Ms: Math.max(...turns.map(({ computed }) => computed.p99Ms)),
    waitedShare: Math.max(...turns.map(({ waitedShare }) => waitedShare)),
  };
}

/**
 * Judges the durations of calls. If the thread was often ready without getting a processor,
 * which the broker cannot influence, judges instead how much longer the thread itself computes in a turn of its loop.
 */
export function isUndisturbed({ alone, beside }: Neighbours): boolean {
  const isScarce = beside.waitedShare > scarceShare;
  const isComputing = beside.computedP99Ms > alone.computedP99Ms + longerTurnMs;
  return isAsFast(alone.p99Ms, beside.p99Ms) || (isScarce && !isComputing);
}

export function isAsFast(aloneMs: number, besideMs: number): boolean {
  return besideMs <= aloneMs * 1.5 && besideMs <= aloneMs + 50;
}

/**
 * Judges the whole delay. If the thread was often ready without getting a processor, which the broker
 * cannot influence, judges instead the time that the thread itself computes in a turn. A turn handles everything that arrived
 * since the previous turn: a thread that waits half of its time finds twice as much.
 */
export function isPrompt({ whole, computed, waitedShare }: LoopDelay): boolean {
  const asIfAlone = { ...computed, p99Ms: computed.p99Ms * (1 - waitedShare) };
  return isShort(whole) || (waitedShare > scarceShare && isShort(asIfAlone));
}

/**
 * Judges the duration of the slowest list. If the thread was often ready without getting a processor,
 * judges instead the time that the thread itself computes in a turn.
 */
export function areAtOnce({ slowestMs, computed, waitedShare }: Lists): boolean {
  const isScarce = waitedShare > scarceShare && slowestMs < 3 * listMs;
  return slowestMs < listMs || (isScarce && computed.maxMs < listMs);
}

/** Describes a delay in milliseconds, for docs/reliability.md. */
export function sayDelay(delay: LoopDelay | undefined): string {
  if (!delay) return 'not measured';
  const { whole, computed, waitedShare } = delay;
  const waited = (waitedShare * 100).toFixed(0);
  const figures = ({ p99Ms, maxMs }: DelayFigures) => `p99 ${p99Ms.toFixed(1)}, max ${maxMs.toFixed(1)}`;
  return `delay ${figures(whole)} ms; computed in a turn ${figures(computed)} ms; ${waited}% of the time without a processor`;
}

export function isShort({ p99Ms, maxMs }: DelayFigures): boolean {
  return p99Ms < 50 && maxMs < 250;
}

function p99Of(durations: readonly number[]): number {
  return durations.toSorted((a, b) => a - b)[Math.floor(durations.length * 0.99)] ?? Number.NaN;
}
