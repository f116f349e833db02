import { z } from 'zod';
import type { DelayFigures, LoopDelay } from './messages.ts';

/** A thread that waits more of its time for a processor is on a machine too busy to measure delays. */
const scarceShare = 0.05;
/** Calls that take 30 ms and may take half as long again have room for this. */
const longerTurnMs = 10;

/** A list with every upstream down. */
const listMs = 300;

/** What the broker says of its delays. */
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
 * Judges how long calls take, as security.md defines it. Only if the thread was often ready without getting a processor,
 * which the broker cannot influence, judges how much longer the thread itself computes in a turn of its loop.
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
 * Judges the whole delay, as security.md defines it. Only if the thread was often ready without getting a processor,
 * which the broker cannot influence, judges the time that the thread itself computes in a turn. A turn does what has
 * arrived since the turn before: a thread that waits half of its time finds twice as much.
 */
export function isPrompt({ whole, computed, waitedShare }: LoopDelay): boolean {
  const asIfAlone = { ...computed, p99Ms: computed.p99Ms * (1 - waitedShare) };
  return isShort(whole) || (waitedShare > scarceShare && isShort(asIfAlone));
}

/**
 * Judges how long the slowest list took, as security.md defines it. Only if the thread was often ready without getting a
 * processor, judges the time that the thread itself computes in a turn.
 */
export function areAtOnce({ slowestMs, computed, waitedShare }: Lists): boolean {
  const isScarce = waitedShare > scarceShare && slowestMs < 3 * listMs;
  return slowestMs < listMs || (isScarce && computed.maxMs < listMs);
}

/** In milliseconds, for docs/reliability.md. */
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
