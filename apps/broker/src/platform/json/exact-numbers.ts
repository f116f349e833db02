import { randomBytes } from 'node:crypto';
import { endOfString } from './scan-json.ts';

declare global {
  // since Node 21 (V8 11.4); missing in TypeScript's library
  interface JSON {
    /** Makes a value that JSON.stringify writes exactly like this. @throws SyntaxError for objects, lists, and invalid JSON */
    rawJSON(text: string): Readonly<{ rawJSON: string }>;
    isRawJSON(value: unknown): boolean;
  }
}

/** Prefix of a number that is stored as text. It is unknown outside, so that no foreign text becomes a number. */
const mark = `number ${randomBytes(16).toString('hex')} `;

/**
 * Replaces each number that does not fit a double with a marked text, so that parsing does not change it: 2^53 + 1, 1E400,
 * seventeen decimals. For text in which scanJson found such numbers.
 */
export function markLongNumbers(json: string): string {
  let marked = '';
  let copied = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at);
    else if (isOfNumber(code)) {
      const start = at;
      while (at + 1 < json.length && isOfNumber(json.charCodeAt(at + 1))) at++;
      const number = json.slice(start, at + 1);
      if (!isNumber.test(number) || isExact(number)) continue;
      marked += `${json.slice(copied, start)}"${mark}${number}"`;
      copied = at + 1;
    }
  }
  return copied === 0 ? json : marked + json.slice(copied);
}

export function isMarked(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(mark);
}

/** Parses JSON so that JSON.stringify writes every number unchanged. The text must not be nested too deep. */
export function parseExactly(json: string): unknown {
  return withExactNumbers(JSON.parse(markLongNumbers(json)));
}

export function nearestTo(marked: string): number {
  return Number(marked.slice(mark.length));
}

/** Turns each marked number of a parsed value, in place, into raw JSON of the same digits. It must not be nested too deep. */
export function withExactNumbers(value: unknown): unknown {
  if (isMarked(value)) return JSON.rawJSON(value.slice(mark.length));
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) value[at] = withExactNumbers(value[at]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      const exact = withExactNumbers(inner);
      if (exact !== inner) Object.defineProperty(value, key, { value: exact });
    }
  }
  return value;
}

const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const isWhole = /^-?\d+(?:\.0+)?(?:[eE]\+?\d+)?$/;

/** Whether a double prints the same digits, or is the same whole number. */
function isExact(number: string): boolean {
  const nearest = Number(number);
  return String(nearest) === number || (isWhole.test(number) && Number.isSafeInteger(nearest));
}

function isOfNumber(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2b || code === 0x2e || code === 0x65 || code === 0x45
  );
}

const quote = 0x22;
