export type JsonScan = {
  /** Whether it nests deeper than the limit, at which the scan stopped. */
  isTooDeep: boolean;
  hasNull: boolean;
  hasEmptyList: boolean;
  /** Whether it has a number that may not fit a double: sixteen digits or more, or an exponent. */
  hasLongNumber: boolean;
};

/** Numbers with up to this many digits fit a double exactly. */
const longestExact = 15;

/**
 * Scans JSON text once, without parsing it, so that a hostile body costs no more than its length. Outside strings, which are
 * skipped, n only begins null, and E or e after a digit only an exponent.
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
  // linear overall: no other bracket closes after the same space
  while (isSpace(json.charCodeAt(at))) at--;
  return json.charCodeAt(at) === openBracket;
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Returns the index of the quote that ends the string starting at `start`, or the end of the text. */
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
