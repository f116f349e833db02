/** A server that wants more is asked again after an hour all the same. */
const longestMs = 3_600_000;

/**
 * How long to wait by a Retry-After header: seconds, or a date (RFC 9110, section 10.2.3).
 * @returns undefined where it is missing or says neither
 */
export function readRetryAfter(header: string | string[] | undefined, nowMs: number): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestMs);
}
