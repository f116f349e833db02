/** A server that asks for a longer wait is retried after an hour. */
const longestMs = 3_600_000;

/** Reads the wait of a Retry-After header: seconds or a date (RFC 9110, section 10.2.3). */
export function readRetryAfter(header: string | string[] | undefined, nowMs: number): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestMs);
}
