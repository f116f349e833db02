import type { Recurring } from '../objects/types.ts';

const daySeconds = 86_400;

/**
 * Returns the end of the billing period that begins at `start`. Months are counted from the anchor, so a subscription from
 * January 31 renews on the last day of February and again on March 31.
 */
export function periodEnd(
  start: number,
  anchor: number,
  recurring: Pick<Recurring, 'interval' | 'interval_count'>,
): number {
  const { interval, interval_count: count } = recurring;
  if (interval === 'day') return start + count * daySeconds;
  if (interval === 'week') return start + count * 7 * daySeconds;
  const step = interval === 'year' ? count * 12 : count;
  let months = step;
  while (addCalendarMonths(anchor, months) <= start) months += step;
  return addCalendarMonths(anchor, months);
}

export function addCalendarMonths(seconds: number, months: number): number {
  const date = new Date(seconds * 1000);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return Math.floor(date.getTime() / 1000);
}
