import type { McpService } from '@souk/contract/billing/billing.ts';
import { expect, test } from 'vitest';
import {
  cancelledText,
  countServices,
  alsoInPlanText,
  priceText,
  renewalText,
  statusText,
  whileDownText,
} from './service-texts.ts';

const endsAt = '2026-11-20T12:00:00.000Z';
const access = { accessType: 'none' as const, expiresAt: null, features: [], renews: false, plan: null };
const rented = { ...access, accessType: 'rental' as const, expiresAt: endsAt };
const hourMs = 3_600_000;
const at = (hours: number) => Date.parse(endsAt) + hours * hourMs;

test.each([
  ['[MINE-12]', { accessType: 'none' }, 'Not Owned'],
  ['[MINE-13]', { accessType: 'free' }, 'Free Access'],
  ['[MINE-14]', { accessType: 'subscription', features: ['System subscription (pro)'] }, 'Subscribed pro'],
  [
    '[MINE-14]',
    {
      accessType: 'subscription',
      features: ['System subscription (pro)'],
      plan: { planId: 'pro', name: 'Professional', since: endsAt, isCancelled: false, includedUntil: null },
    },
    'Subscribed Professional',
  ],
  ['[MINE-15]', { accessType: 'trial', expiresAt: endsAt }, 'Trial - expires Nov 20, 2026'],
  ['[MINE-16]', { accessType: 'trial' }, 'Trial - active'],
  ['[MINE-17]', { accessType: 'purchase' }, 'Purchased'],
  ['[MINE-18]', { accessType: 'rental', expiresAt: endsAt }, 'Rented - expires Nov 20, 2026'],
  ['[MINE-19]', { accessType: 'rental' }, 'Rented - active'],
  ['[MINE-19]', { accessType: 'rental', expiresAt: endsAt, renews: true }, 'Rented - active'],
  ['[MINE-20]', { accessType: 'subscription' }, 'Subscription Access'],
  ['[MINE-21]', { accessType: 'loan' }, 'Unknown Status'],
])('%s the status text of %j', (_id, over, text) => {
  // why the cast: the last one is of a future kind
  expect(statusText({ ...access, ...over } as typeof access)).toBe(text);
});

test('[MINE-22] [MINE-23] [MINE-24] the price text', () => {
  const rental = { price: 900, currency: 'USD' };
  const priceOf = (tier: 'T0' | 'T2', more: { rental?: typeof rental } = {}) =>
    priceText({ billing: { tier, rental: more.rental ?? null, currency: 'USD', plan: null } });
  expect([priceText({ billing: null }), priceOf('T0', { rental }), priceOf('T2', { rental }), priceOf('T2')]).toEqual([
    'FREE',
    'FREE',
    '$9/month',
    'Requires system subscription',
  ]);
});

test('[MINE-5] Paid counts purchases, rentals and what a plan includes', () => {
  const types = ['none', 'free', 'trial', 'purchase', 'rental', 'subscription'] as const;
  const plan = {
    planId: 'pro',
    name: 'Pro',
    since: '2026-11-02T12:00:00.000Z',
    isCancelled: false,
    includedUntil: null,
  };
  const have = (accessType: string, over: object) => ({
    id: `${accessType}-${Object.keys(over).length}`,
    enabled: accessType !== 'none',
    userAccess: { ...access, accessType, ...over },
  });
  const services = [...types.map((type) => have(type, {})), have('trial', { plan })].map((service) => ({
    ...service,
    down: service.id.startsWith('rental') ? { status: 'error' } : null,
  }));
  const counts = countServices(services as unknown as McpService[], new Set(['free-0', 'none-0']));
  expect(
    counts,
    'a plan includes the second one on trial, the free one waits for an account, and the rented one is down',
  ).toEqual({
    active: 4,
    waiting: 1,
    failing: 1,
    free: 1,
    paid: 4,
    tried: 1,
  });
  expect(alsoInPlanText({ accessType: 'trial', plan })).toBe('Also included in your Pro plan since Nov 2, 2026.');
  expect(alsoInPlanText({ accessType: 'rental', plan })).toBe('Also included in your Pro plan since Nov 2, 2026.');
  const ending = { ...plan, includedUntil: '2026-12-02T12:00:00.000Z' };
  expect(alsoInPlanText({ accessType: 'rental', plan: ending })).toBe(
    'Also included in your Pro plan since Nov 2, 2026, until Dec 2, 2026.',
  );
  expect(alsoInPlanText({ accessType: 'subscription', plan }), 'its status says so').toBeUndefined();
  expect(alsoInPlanText({ accessType: 'trial', plan: null })).toBeUndefined();
});

test('only a rental that renews says when and for how much, until that day', () => {
  const renewing = { ...rented, renews: true };
  const charge = { amountCents: 900, currency: 'USD', at: endsAt };
  expect(renewalText(renewing, at(-1), charge)).toBe('renews Nov 20, 2026 for $9');
  expect(renewalText(renewing, at(-1), null), 'its price is not known yet').toBe('renews Nov 20, 2026');
  expect(renewalText(renewing, at(1), charge), 'the renewal is late').toBeUndefined();
  expect(renewalText(rented, at(-1), charge), 'it ends').toBeUndefined();
  expect(renewalText({ ...renewing, accessType: 'subscription' as const }, at(-1), charge)).toBeUndefined();
});

test('while a service is down, its users read what happens to their access', () => {
  const fails = 'Its calls fail and are not charged.';
  const textOf = (accessType: McpService['userAccess']['accessType'], isCancelled = false) =>
    whileDownText({ accessType, isCancelled });
  expect(textOf('rental')).toBe(`${fails} Your rental continues; you can cancel it.`);
  expect(textOf('rental', true), 'there is nothing left to cancel').toBe(`${fails} Your rental ends as planned.`);
  expect(textOf('subscription')).toBe(`${fails} Your plan continues.`);
  expect(textOf('trial')).toBe(`${fails} Your trial continues.`);
  expect([textOf('none'), textOf('free'), textOf('purchase')]).toEqual([fails, fails, fails]);
});

test('only the status of a canceled rental says when it ends, and the text next to it what can be done until then', () => {
  expect(cancelledText(rented)).toBe('Canceled. You can use and resume it until then.');
  expect(cancelledText({ ...rented, expiresAt: null })).toBe('Ends at the end of the billing period.');
  expect(cancelledText({ ...rented, accessType: 'subscription' })).toBe('Ends at the end of the billing period.');
});
