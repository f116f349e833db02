import type { McpService, UserAccess } from '@souk/contract/billing.ts';
import { expect, test } from 'vitest';
import { countServices, priceText, statusText } from './service-texts.ts';

const endsAt = '2026-11-20T12:00:00.000Z';
const access = { accessType: 'none' as const, expiresAt: null, features: [], isCancelled: false };
const rented = { ...access, accessType: 'rental' as const, expiresAt: endsAt };
const hourMs = 3_600_000;
const at = (hours: number) => Date.parse(endsAt) + hours * hourMs;

test('[MINE-12] [MINE-13] [MINE-14] [MINE-15] [MINE-16] [MINE-17] [MINE-18] [MINE-19] [MINE-20] [MINE-21] the status text of each kind of access', () => {
  const textOf = (over: Partial<Omit<UserAccess, 'accessType'>> & { accessType: string }) =>
    statusText({ ...access, ...over } as typeof access, at(-1));
  expect({
    none: textOf({ accessType: 'none' }),
    free: textOf({ accessType: 'free' }),
    plan: textOf({ accessType: 'subscription', features: ['System subscription (pro)'] }),
    trialWithEnd: textOf({ accessType: 'trial', expiresAt: endsAt }),
    trial: textOf({ accessType: 'trial' }),
    purchase: textOf({ accessType: 'purchase' }),
    rentalWithEnd: textOf({ accessType: 'rental', expiresAt: endsAt }),
    rental: textOf({ accessType: 'rental' }),
    subscription: textOf({ accessType: 'subscription' }),
    other: textOf({ accessType: 'loan' }),
  }).toEqual({
    none: 'Not Owned',
    free: 'Free Access',
    plan: 'Subscribed pro',
    trialWithEnd: 'Trial - expires Nov 20, 2026',
    trial: 'Trial - active',
    purchase: 'Purchased',
    rentalWithEnd: 'Rented - expires Nov 20, 2026',
    rental: 'Rented - active',
    subscription: 'Subscription Access',
    other: 'Unknown Status',
  });
});

test('[MINE-22] [MINE-23] [MINE-24] the price text', () => {
  const rental = { price: 900, currency: 'USD' };
  const priceOf = (tier: 'T0' | 'T2', more: { rental?: typeof rental } = {}) =>
    priceText({ billing: { tier, rental: more.rental ?? null, currency: 'USD' } });
  expect([priceText({ billing: null }), priceOf('T0', { rental }), priceOf('T2', { rental }), priceOf('T2')]).toEqual([
    'FREE',
    'FREE',
    '$9.00/month',
    'Requires system subscription',
  ]);
});

test('[MINE-5] Paid counts purchases, rentals and what a plan includes', () => {
  const types = ['none', 'free', 'trial', 'purchase', 'rental', 'subscription'] as const;
  const services = types.map((accessType) => ({ enabled: accessType !== 'none', userAccess: { accessType } }));
  expect(countServices(services as unknown as McpService[])).toEqual({ active: 5, free: 1, paid: 3 });
});

test('a rental that is about to be renewed does not expire on a day that has passed', () => {
  expect(statusText(rented, at(-1))).toBe('Rented - expires Nov 20, 2026');
  expect(statusText(rented, at(1))).toBe('Rented - active');
  expect(statusText({ ...rented, isCancelled: true }, at(1))).toBe('Rented - expires Nov 20, 2026');
  expect(statusText({ ...rented, expiresAt: null }, at(1))).toBe('Rented - active');
});
