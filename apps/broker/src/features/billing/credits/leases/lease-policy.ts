import type { LeasePolicy } from './lease.ts';

/** Calls that the extra credits of the first lease cover, and at most cover. */
const firstCalls = 9;
const maxCalls = 500;
const quickMs = 1000;

/**
 * Decides the extra credits of leases: those of a few calls for a user who has just started to call, and twice as many each
 * time that a lease lasts less than a second. The database grants at most a twentieth of what is free, and nothing beyond the
 * need where that would not cover a call.
 */
export const growingLeases: LeasePolicy = ({ price, lastExtra, lastGrantAgeMs }) => {
  if (lastGrantAgeMs > quickMs) return firstCalls * price;
  return Math.min(Math.max(2 * lastExtra, firstCalls * price), maxCalls * price);
};
