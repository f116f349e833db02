import type { LeasePolicy } from './lease.ts';

const firstPrices = 9;
const mostPrices = 500;
const quickMs = 1000;

/**
 * Grows the extra of leases: little for a user who has just started to call, and twice as much each time that a lease lasts
 * less than a second. The database grants at most a twentieth of what is free, and nothing beyond the need where that would not
 * cover a call.
 */
export const growingLeases: LeasePolicy = ({ price, lastExtra, lastGrantAgeMs }) => {
  if (lastGrantAgeMs > quickMs) return firstPrices * price;
  return Math.min(Math.max(2 * lastExtra, firstPrices * price), mostPrices * price);
};
