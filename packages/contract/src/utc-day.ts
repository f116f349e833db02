const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

/**
 * A moment (ISO text or epoch milliseconds) as a day of the UTC calendar: "Jan 1, 2027 UTC". For days on which something
 * happens everywhere at once, and for texts whose writer does not know the reader's zone.
 */
export function utcDayText(moment: string | number): string {
  return `${days.format(new Date(moment))} UTC`;
}
