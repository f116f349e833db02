/** Latest time that is stored, which all databases and languages support. Later times mean "forever". */
const latestMs = Date.UTC(9999, 0, 1);

/**
 * Returns whether a text is visible ASCII, which is valid in addresses, headers and databases (RFC 6749, appendix A).
 */
export function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/**
 * Returns whether a token is valid in a header: only visible ASCII without spaces, which is more than RFC 6750, section
 * 2.1, allows.
 */
export function isHeaderToken(text: string, maxLength: number): boolean {
  return text.length <= maxLength && /^[\x21-\x7e]+$/.test(text);
}

/** Returns whether a text is a scope (RFC 6749, section 3.3). */
export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text);
}

/**
 * Returns the time a number of seconds after another. Servers send seconds as a number or digits, even absurdly large
 * ones.
 * @returns undefined for a missing value, 0, a negative value, or a value that is not a number
 */
export function secondsAfter(startMs: number, given: unknown): Date | undefined {
  const seconds = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : given;
  if (typeof seconds !== 'number' || !(seconds > 0)) return undefined;
  return new Date(Math.min(startMs + seconds * 1000, latestMs));
}
