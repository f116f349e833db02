/** Months begin at 367 days: a token created for 90 days expires "in 90 days", not "in 3 months". */
const units = [
  { unit: 'year', seconds: 365 * 86_400, fromSeconds: 500 * 86_400 },
  { unit: 'month', seconds: 30 * 86_400, fromSeconds: 367 * 86_400 },
  { unit: 'day', seconds: 86_400, fromSeconds: 86_400 },
  { unit: 'hour', seconds: 3600, fromSeconds: 3600 },
  { unit: 'minute', seconds: 60, fromSeconds: 60 },
] as const;
const distances = new Intl.RelativeTimeFormat('en-US', { numeric: 'always' });

/** Formats the distance to a moment: "in 89 days", "5 minutes ago", "just now". */
export function formatDistance(moment: string, nowMs: number): string {
  const seconds = (Date.parse(moment) - nowMs) / 1000;
  const fitting = units.find((candidate) => Math.abs(seconds) >= candidate.fromSeconds);
  if (!fitting) return seconds > 0 ? 'in a moment' : 'just now';
  return distances.format(Math.round(seconds / fitting.seconds), fitting.unit);
}
