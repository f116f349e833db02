import type { McpService } from '@souk/contract/billing.ts';
import { expect, test } from 'vitest';
import { countServices, priceText, statusText } from './service-texts.ts';

const endsAt = '2026-11-20T12:00:00.000Z';
const access = { accessType: 'none' as const, expiresAt: null, features: [], isCancelled: false };
const rented = { ...access, accessType: 'rental' as const, expiresAt: endsAt };
const hourMs = 3_600_000;
const at = (hours: number) => Date.parse(endsAt) + hours * hourMs;

test.each([
  ['[MINE-12]', { accessType: 'none' }, 'Not Owned'],
  ['[MINE-13]', { accessType: 'free' }, 'Free Access'],
  ['[MINE-14]', { accessType: 'subscription', features: ['System subscription (pro)'] }, 'Subscribed pro'],
  ['[MINE-15]', { accessType: 'trial', expiresAt: endsAt }, 'Trial - expires Nov 20, 2026'],
  ['[MINE-16]', { accessType: 'trial' }, 'Trial - active'],
  ['[MINE-17]', { accessType: 'purchase' }, 'Purchased'],
  ['[MINE-18]', { accessType: 'rental', expiresAt: endsAt }, 'Rented - expires Nov 20, 2026'],
  ['[MINE-19]', { accessType: 'rental' }, 'Rented - active'],
  ['[MINE-20]', { accessType: 'subscription' }, 'Subscription Access'],
  ['[MINE-21]', { accessType: 'loan' }, 'Unknown Status'],
])('%s the status text of %j', (_id, over, text) => {
  // why the cast: the last one is of a kind that is still to come
  expect(statusText({ ...access, ...over } as typeof access, at(-1))).toBe(text);
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
