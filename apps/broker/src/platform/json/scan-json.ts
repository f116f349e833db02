/** What the scan of a JSON text found. */
export type JsonScan = {
  /** It nests deeper than the limit: it was read no further. */
  isTooDeep: boolean;
  /** It has the word null. */
  hasNull: boolean;
  /** The text has a list with nothing in it. */
  hasEmptyList: boolean;
  /** It has a number that a double may not hold: of sixteen digits or more, or with an exponent. */
  hasLongNumber: boolean;
};

/** A double holds every number of fewer digits. */
const longestExact = 15;

/**
 * Reads JSON text once, without parsing it, so that a hostile body costs no more than its length. Texts in it are passed over:
 * outside of them the letter n begins nothing but null, and an E or e after a digit nothing but an exponent.
 */
export function scanJson(json: string, maxDepth: number): JsonScan {
  const found: JsonScan = { isTooDeep: false, hasNull: false, hasEmptyList: false, hasLongNumber: false };
  let depth = 0;
  let digits = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code >= zero && code <= nine) {
      if (++digits > longestExact) found.hasLongNumber = true;
      continue;
    }
    if (digits > 0) {
      if (code === point) continue;
      if (code === smallE || code === largeE) found.hasLongNumber = true;
      digits = 0;
    }
    if (code === quote) at = endOfString(json, at);
    else if (code === openBrace || code === openBracket) {
      if (++depth > maxDepth) {
        found.isTooDeep = true;
        return found;
      }
    } else if (code === closeBrace || code === closeBracket) {
      depth--;
      if (code === closeBracket && isJustOpened(json, at)) found.hasEmptyList = true;
    } else if (code === smallN) found.hasNull = true;
  }
  return found;
}

/** Whether only space stands between the bracket at `end` and the one that opened its list. */
function isJustOpened(json: string, end: number): boolean {
  let at = end - 1;
  // linear in all: no other bracket closes behind the same space
  while (isSpace(json.charCodeAt(at))) at--;
  return json.charCodeAt(at) === openBracket;
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** The index of the quote that ends the string starting at `start`; the end of the text if there is none. */
export function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quote) return at;
  }
  return json.length;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const smallE = 0x65;
const largeE = 0x45;
const smallN = 0x6e;
