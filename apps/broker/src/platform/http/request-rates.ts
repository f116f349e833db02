import type { Clock } from '../clock.ts';
import { SoukError } from '../errors.ts';
import type { LiveBrokers } from '../db/share-of.ts';
import { createRateLimit, type RateLimit } from '../rate-limit.ts';
import { addressGroup } from './connections/address-group.ts';

/** A minute's allowance is split into sixths, since all of it at once would hold up everyone else. */
const minuteMs = 60_000;
const parts = 6;

export type RequestRates = {
  /** Counts a request without a user. @throws SoukError rate_limited */
  ofAddress(address: string, weight: number): void;
  /** @throws SoukError rate_limited */
  ofPerson(userId: string, weight: number): void;
};

/**
 * Limits the API requests of a user, and those of an address without sign-in. A request counts by its weight in the
 * contract, which is roughly the milliseconds that its most expensive case takes. Counts in memory: each broker counts what it
 * serves, and allows its share.
 */
export function createRequestRates(
  { perMinuteUser, perMinuteAddress }: { perMinuteUser: number; perMinuteAddress: number },
  clock: Clock,
  brokers?: Pick<LiveBrokers, 'count'>,
  onRefused: (who: { address: string } | { user: string }) => void = () => {},
): RequestRates {
  const limitOf = (perMinute: number) =>
    createRateLimit(Math.ceil(perMinute / parts), clock, minuteMs / parts, brokers);
  const people = limitOf(perMinuteUser);
  const addresses = limitOf(perMinuteAddress);
  return {
    ofAddress: (address, weight) => take(addresses, addressGroup(address), weight, () => onRefused({ address })),
    ofPerson: (userId, weight) => take(people, userId, weight, () => onRefused({ user: userId })),
  };
}

function take(limit: RateLimit, key: string, weight: number, onRefused: () => void): void {
  if (limit.take(key, weight)) return;
  onRefused();
  throw new SoukError('rate_limited', { retryAfterSeconds: Math.ceil(limit.waitMs(key, weight) / 1000) });
}
