import fc from 'fast-check';
import { areLimitsHeld, limitFigure } from './limits.ts';

// What shows that a parser takes linear time: hostile texts of 64 KiB, and the CPU that each costs (bad input 41).

const bytes = 64 * 1024;
const mostMs = 20;
/** A machine has other work, and the first run compiles: the best of so many counts. */
const mostRuns = 8;
const farTooLong = 25 * mostMs;

/** CPU of the best of several runs. */
function bestMs(parse: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < mostRuns && best >= mostMs; run++) {
    const before = process.threadCpuUsage();
    parse();
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
    // nothing else explains so much: more runs would only take minutes
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
/** What has made parsers slow, over and over. */
const shapes = [...words.split(/\s+/), ...blank, ...odd].map(repeated);

/** What ends otherwise than it began is what backtracking tries again. */
const fixed = shapes.flatMap((shape) => [shape, `${shape.slice(0, -1)}!`]);
/** What a parser has to get through where its time is not judged. */
const sample = fixed.filter((_text, at) => at % 8 < 2);

const piece = fc.oneof(
  fc.constantFrom(...shapes.map((shape) => shape.slice(0, 4))),
  fc.string({ minLength: 1, maxLength: 6, unit: 'binary' }),
);
const madeUp = fc
  .tuple(piece, piece, piece)
  .map(([head, middle, tail]) => head + repeated(middle).slice(head.length + tail.length) + tail);

/** Holds the CPU that a parser takes for a hostile text below 20 ms, whichever text it is. */
export async function limitParser(parse: (text: string) => unknown): Promise<void> {
  const ms = getThrough(parse);
  await limitFigure(mostMs, 'ms of processor', () => ms);
}

/** Holds a parser that is slow above that. */
export async function limitSlowParser(parse: (text: string) => unknown): Promise<void> {
  const ms = getThrough(parse);
  await limitFigure(1, 'of its time is what a parser may take', () => mostMs / ms, { scales: 'none' });
}

/** @returns the CPU for the text that takes most, where it is judged */
function getThrough(parse: (text: string) => unknown): number {
  if (areLimitsHeld()) return slowestMs(parse);
  for (const text of sample) parse(text);
  return 0;
}

/** CPU for the text that takes most. Looks no further than to the first that takes far too long. */
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

/** Whether a parser that gets `args` is given so much hostile text. */
export function holdsText(args: readonly unknown[], atLeast: number): boolean {
  return textIn(args) >= atLeast;
}

/** Some text that parsers are given. */
export const someHostileTexts: readonly string[] = sample;

/** How many characters or bytes of text a value holds, in all its depth. */
function textIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (value instanceof URLSearchParams) return value.toString().length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, each]) => sum + key.length + textIn(each), 0);
}
