/** Deeper JSON than we ever need is refused before any code walks it recursively (security.md, Limits). */
export const maxJsonDepth = 64;

/**
 * Whether JSON text nests deeper than `limit`. Reads the text once, without parsing it, so that a hostile body costs no
 * more than its length.
 */
export function isTooDeep(json: string, limit: number = maxJsonDepth): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (inString) {
      if (code === backslash) index++;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (code === openBrace || code === openBracket) {
      if (++depth > limit) return true;
    } else if (code === closeBrace || code === closeBracket) depth--;
  }
  return false;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
