import { randomBytes } from 'node:crypto';
import { endOfString } from './scan-json.ts';

declare global {
  // since Node 21 (V8 11.4); TypeScript's own library does not have them yet
  interface JSON {
    /** What JSON.stringify writes exactly so. @throws SyntaxError for anything but one JSON value that is no object or list */
    rawJSON(text: string): Readonly<{ rawJSON: string }>;
    isRawJSON(value: unknown): boolean;
  }
}

/** Marks a number that stands as text. Nobody outside knows it, so that no text of theirs becomes a number. */
const mark = `number ${randomBytes(16).toString('hex')} `;

/**
 * JSON text with each number that a double does not hold as a marked text, so that parsing loses nothing of it: 2^53 + 1, 1E400,
 * seventeen decimals. For text that scanJson found such numbers in.
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

/** Whether the value is a marked number. */
export function isMarked(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(mark);
}

/** JSON.parse, of which JSON.stringify writes every number as it came. The text must not be nested too deep. */
export function parseExactly(json: string): unknown {
  return withExactNumbers(JSON.parse(markLongNumbers(json)));
}

/** The double that is nearest to a marked number. */
export function nearestTo(marked: string): number {
  return Number(marked.slice(mark.length));
}

/**
 * A parsed value with each marked number as what JSON.stringify writes in exactly these digits. Changes the value in place.
 * It must not be nested too deep.
 */
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

/** Whether a double prints as the same digits, or is the same whole number. */
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
