import { moneyText, monthlyText } from '@souk/contract/billing/currencies.ts';

const counts = new Intl.NumberFormat('en-US');
const moments = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' });
const times = new Intl.DateTimeFormat('en-US', { timeStyle: 'short' });
const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' });

/** Cents of a currency as text: 900 is "$9", 950 is "$9.50" (spec part 1, section 9). */
export function formatMoney(amountCents: number, currency = 'USD'): string {
  return moneyText(amountCents, currency);
}

/** A monthly price: "$9/month". */
export function formatMonthly(amountCents: number, currency = 'USD'): string {
  return monthlyText(amountCents, currency);
}

/** A count with thousands grouped: "12,345". */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** A count with its noun: "1 tool", "1,204 tools". */
export function counted(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** A moment (ISO text or epoch milliseconds) as date and time: "Nov 21, 2026, 3:04 PM". */
export function formatMoment(moment: string | number): string {
  return moments.format(new Date(moment));
}

/** A moment as its time of the day: "3:04 PM". */
export function formatTime(moment: string | number): string {
  return times.format(new Date(moment));
}

/** A moment as its date: "Nov 21, 2026". */
export function formatDay(moment: string | number): string {
  return days.format(new Date(moment));
}
