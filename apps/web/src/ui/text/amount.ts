import { moneyText, monthlyText } from '@souk/contract/billing/currencies.ts';

const counts = new Intl.NumberFormat('en-US');
const moments = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' });
const times = new Intl.DateTimeFormat('en-US', { timeStyle: 'short' });
const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' });

/** Formats cents: 900 is "$9", 950 is "$9.50" (spec part 1, section 9). */
export function formatMoney(amountCents: number, currency = 'USD'): string {
  return moneyText(amountCents, currency);
}

/** Formats a monthly price: "$9/month". */
export function formatMonthly(amountCents: number, currency = 'USD'): string {
  return monthlyText(amountCents, currency);
}

/** Groups thousands: "12,345". */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** Formats a count with its noun: "1 tool", "1,204 tools". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Formats a duration: "850 ms", "1.2 s". */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${formatCount(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Formats an ISO text or epoch milliseconds: "Nov 21, 2026, 3:04 PM". */
export function formatMoment(moment: string | number): string {
  return moments.format(new Date(moment));
}

/** Formats the time of day: "3:04 PM". */
export function formatTime(moment: string | number): string {
  return times.format(new Date(moment));
}

/** Formats the date: "Nov 21, 2026". */
export function formatDay(moment: string | number): string {
  return days.format(new Date(moment));
}
