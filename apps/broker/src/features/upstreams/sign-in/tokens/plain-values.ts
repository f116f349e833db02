/** Beyond this no moment is told apart from "for ever": all databases and languages can still write it. */
const latestMs = Date.UTC(9999, 0, 1);

/** Whether a text is visible ASCII, so that an address, a header and a database can carry it (RFC 6749, appendix A). */
export function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Whether a token can stand in a header: RFC 6750, section 2.1, and more, but no space. */
export function isHeaderToken(text: string, maxLength: number): boolean {
  return text.length <= maxLength && /^[\x21-\x7e]+$/.test(text);
}

/** What may stand in a scope parameter (RFC 6749, section 3.3). */
export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text);
}

/**
 * The moment so many seconds after another, as servers say them: as a number or its digits, absurdly large ones too.
 * @returns undefined where nothing sensible is said: nothing, 0, less, or no number
 */
export function secondsAfter(startMs: number, given: unknown): Date | undefined {
  const seconds = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : given;
  if (typeof seconds !== 'number' || !(seconds > 0)) return undefined;
  return new Date(Math.min(startMs + seconds * 1000, latestMs));
}
