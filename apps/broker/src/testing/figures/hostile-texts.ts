import fc from 'fast-check';
import { areLimitsHeld, limitFigure } from './limits.ts';

// Shows that a parser takes linear time: hostile texts of 64 KiB, and the CPU that each costs (bad input 41).

const bytes = 64 * 1024;
const mostMs = 20;
/** Number of runs, of which the best counts: a machine has other work, and the first run compiles. */
const mostRuns = 8;
const farTooLong = 25 * mostMs;

/** Returns the CPU of the best of several runs. */
function bestMs(parse: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < mostRuns && best >= mostMs; run++) {
    const before = process.threadCpuUsage();
    parse();
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
    // only the parser can be this slow, so more runs would only take minutes
    if (best > farTooLong) break;
  }
  return best;
}

const repeated = (unit: string) => unit.repeat(Math.ceil(bytes / unit.length)).slice(0, bytes);

const words = String.raw`/ a " \ , = . - : % # ? [ { } 1 é {+a} {a} /a .. a. 1. aA a=b, \" %2F // ::ffff: {"a": [[ "a", ing a- a_ https://
  http://localhost: @ a@ localhost. < & q=0, gzip;q=1, *, error= id: bearer
  ; ! $ ' ( ) + > ] ^ _ | ~`;
const blank = [
  ' ',
  '\t',
  '\n',
  '\r',
  '\0',
  '\r\n',
  '\n\n',
  ', ',
  'bearer ',
  'Bearer a="',
  'error =',
  'data: ',
  'data: x\n\n',
];
const odd = ['\u001B[', '\u001B[1;', '2026-01-01T', 'ssing ', 'MCP error -1: ', '\u{1F600}', '\u202E', '\u{E0041}'];
/** Repeated patterns that have made parsers slow. */
const shapes = [...words.split(/\s+/), ...blank, ...odd].map(repeated);

/** Texts that end differently than they began, which makes backtracking retry. */
const fixed = shapes.flatMap((shape) => [shape, `${shape.slice(0, -1)}!`]);
/** Texts for a run in which the parser's time is not judged. */
const sample = fixed.filter((_text, at) => at % 8 < 2);

const piece = fc.oneof(
  fc.constantFrom(...shapes.map((shape) => shape.slice(0, 4))),
  fc.string({ minLength: 1, maxLength: 6, unit: 'binary' }),
);
const madeUp = fc
  .tuple(piece, piece, piece)
  .map(([head, middle, tail]) => head + repeated(middle).slice(head.length + tail.length) + tail);

/** Holds a parser's CPU time for each hostile text below 20 ms. */
export async function limitParser(parse: (text: string) => unknown): Promise<void> {
  const ms = getThrough(parse);
  await limitFigure(mostMs, 'ms of processor', () => ms);
}

/** Holds a slow parser above that. */
export async function limitSlowParser(parse: (text: string) => unknown): Promise<void> {
  const ms = getThrough(parse);
  await limitFigure(1, 'of its time is what a parser may take', () => mostMs / ms, { scales: 'none' });
}

/** @returns the CPU for the slowest text, if it is judged */
function getThrough(parse: (text: string) => unknown): number {
  if (areLimitsHeld()) return slowestMs(parse);
  for (const text of sample) parse(text);
  return 0;
}

/** Returns the CPU for the slowest text. Stops at the first that takes far too long. */
function slowestMs(parse: (text: string) => unknown): number {
  let slowest = 0;
  for (const text of [...fixed, ...fc.sample(madeUp, 15)]) {
    slowest = Math.max(
      slowest,
      bestMs(() => parse(text)),
    );
    if (slowest > farTooLong) break;
  }
  return slowest;
}

/** Whether the arguments of a parser contain at least this much text. */
export function holdsText(args: readonly unknown[], atLeast: number): boolean {
  return textIn(args) >= atLeast;
}

/** A sample of the texts for parsers. */
export const someHostileTexts: readonly string[] = sample;

/** Counts the characters or bytes of text in a value, at any depth. */
function textIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (value instanceof URLSearchParams) return value.toString().length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, each]) => sum + key.length + textIn(each), 0);
}
