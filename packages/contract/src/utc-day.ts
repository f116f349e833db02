const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

/**
 * Formats a moment (ISO text or epoch milliseconds) as a UTC day: "Jan 1, 2027 UTC". For events that happen everywhere at the
 * same time, and for texts to readers with an unknown time zone.
 */
export function utcDayText(moment: string | number): string {
  return `${days.format(new Date(moment))} UTC`;
}
