import fc from 'fast-check';

// What shows that a parser takes linear time: hostile texts of 64 KiB, and the CPU that each costs (bad input 41).

const bytes = 64 * 1024;
const mostMs = 20;
/** A machine has other work, and the first run compiles: the best of so many counts. */
const mostRuns = 8;

/** What plain work takes on the machine of these figures, and how much slower another may be at it. */
const plainWorkMs = 20;
const mostSlowness = 3;

/** How much slower this machine is now: neighbours slow the CPU that a parser gets, too. */
function slowness(): number {
  const ms = bestMs(plainWork, 3);
  return Math.min(mostSlowness, Math.max(1, ms / plainWorkMs));
}

function plainWork(): number {
  let sum = 0;
  for (let at = 0; at < 5_000_000; at++) sum = (sum * 31 + at) | 0;
  return sum;
}

/** CPU of the best of several runs. */
function bestMs(parse: () => unknown, runs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && best >= mostMs; run++) {
    const before = process.cpuUsage();
    parse();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
    // nothing else explains so much: more runs would only take minutes
    if (best > 25 * mostMs) break;
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

/**
 * The beginning of the first text for which a parser takes 20 ms or more, or undefined.
 * @param slownessNow by default measured where it matters
 */
export function findSlowText(
  parse: (text: string) => unknown,
  runs = mostRuns,
  slownessNow = slowness,
): string | undefined {
  const isSlow = (text: string) => {
    const ms = bestMs(() => parse(text), runs);
    return ms >= mostMs && ms >= mostMs * slownessNow();
  };
  // what ends otherwise than it began is what backtracking tries again
  const fixed = shapes.flatMap((shape) => [shape, `${shape.slice(0, -1)}!`]).find(isSlow);
  if (fixed !== undefined) return fixed.slice(0, 40);
  const piece = fc.oneof(
    fc.constantFrom(...shapes.map((shape) => shape.slice(0, 4))),
    fc.string({ minLength: 1, maxLength: 6, unit: 'binary' }),
  );
  const text = fc
    .tuple(piece, piece, piece)
    .map(([head, middle, tail]) => head + repeated(middle).slice(head.length + tail.length) + tail);
  const { counterexample } = fc.check(
    fc.property(text, (each) => !isSlow(each)),
    { numRuns: 15 },
  );
  return counterexample?.[0].slice(0, 40);
}

/** Takes longer than a parser may on a machine that is not slow, if the arguments hold so much text. */
export function burn(args: readonly unknown[], atLeast: number): void {
  if (textIn(args) < atLeast) return;
  const before = process.cpuUsage();
  let { user, system } = process.cpuUsage(before);
  while (user + system < (mostMs + 5) * 1000) ({ user, system } = process.cpuUsage(before));
}

/** How many characters or bytes of text a value holds, in all its depth. */
function textIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (value instanceof URLSearchParams) return value.toString().length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, each]) => sum + key.length + textIn(each), 0);
}
