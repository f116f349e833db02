import type { RentalPeriod } from '@souk/contract/admin/billing.ts';

const dayMs = 24 * 60 * 60_000;

export function endOfPeriod(startMs: number, period: RentalPeriod): Date {
  if (period === 'monthly') return new Date(monthsLater(startMs, 1));
  return new Date(startMs + (period === 'daily' ? 1 : 7) * dayMs);
}

/** Start of the month that ends at `endMs`: months are counted from `startMs`, as the payment provider does. */
export function startOfMonth(startMs: number, endMs: number): Date {
  const [start, end] = [new Date(startMs), new Date(endMs)];
  const months = (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth();
  return new Date(monthsLater(startMs, Math.max(0, months - 1)));
}

/** Adds months to a time (UTC); in a month without that day, its last day. */
function monthsLater(startMs: number, months: number): number {
  const start = new Date(startMs);
  const later = new Date(startMs);
  later.setUTCDate(1);
  later.setUTCMonth(start.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate();
  later.setUTCDate(Math.min(start.getUTCDate(), lastDay));
  return later.getTime();
}
