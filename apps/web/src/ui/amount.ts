import { decimalsOf } from '@souk/contract/currencies.ts';

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const counts = new Intl.NumberFormat('en-US');
const moments = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' });
const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' });

/** Cents of a currency as text: 900 is "$9.00" (spec part 1, section 9). Of one without cents, its units. */
export function formatMoney(amountCents: number, currency = 'USD'): string {
  const code = currency.toUpperCase();
  if (code === 'USD') return dollars.format(amountCents / 100);
  return new Intl.NumberFormat('en-US', optionsOf(code)).format(amountCents / 10 ** decimalsOf(code));
}

/** A monthly price: "$9.00/month". */
export function formatMonthly(amountCents: number, currency?: string): string {
  return `${formatMoney(amountCents, currency)}/month`;
}

/** A count with thousands grouped: "12,345". */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** A moment (ISO text or epoch milliseconds) as date and time: "Nov 21, 2026, 3:04 PM". */
export function formatMoment(moment: string | number): string {
  return moments.format(new Date(moment));
}

/** A moment as its date: "Nov 21, 2026". */
export function formatDay(moment: string | number): string {
  return days.format(new Date(moment));
}

/** Cents as a price tag: 900 is "$9", 950 is "$9.50". */
export function formatPrice(amountCents: number, currency = 'USD'): string {
  const code = currency.toUpperCase();
  const options = { ...optionsOf(code), trailingZeroDisplay: 'stripIfInteger' } as const;
  return new Intl.NumberFormat('en-US', options).format(amountCents / 10 ** decimalsOf(code));
}

const optionsOf = (currency: string) => {
  const digits = decimalsOf(currency);
  return { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
};
