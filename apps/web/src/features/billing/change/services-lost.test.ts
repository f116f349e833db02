import type { McpService } from '@souk/contract/billing/billing.ts';
import { expect, test } from 'vitest';
import { servicesLost } from './services-lost.ts';

const pro = { planId: 'pro', name: 'Pro', since: '2026-11-01T00:00:00.000Z', isCancelled: false, includedUntil: null };

function service(name: string, tier: 'T0' | 'T1' | 'T2', access: Partial<McpService['userAccess']>): McpService {
  return {
    id: name,
    icon: null,
    name,
    description: '',
    billing: { tier, rental: null, currency: 'USD', plan: null },
    features: [],
    userAccess: {
      hasAccess: true,
      accessType: 'subscription',
      expiresAt: null,
      isTrialPeriod: false,
      features: [],
      isCancelled: false,
      renews: true,
      plan: pro,
      ...access,
    },
    enabled: true,
    trialDays: null,
    down: null,
  };
}

const services = [
  service('Calendar', 'T0', { accessType: 'free', plan: null }),
  service('Rented', 'T2', { accessType: 'rental' }),
  service('Rented until then', 'T2', { accessType: 'rental', isCancelled: true }),
  service('Bought', 'T2', { accessType: 'purchase', renews: false }),
  service('Thinking', 'T1', {}),
  service('Travel Pro', 'T2', {}),
  service('Tried', 'T2', { accessType: 'trial', isTrialPeriod: true, renews: false }),
];

test('with a plan users lose what only it gives, their trials, and what they rent until then', () => {
  expect(servicesLost(services)).toEqual(['Rented until then', 'Thinking', 'Travel Pro', 'Tried']);
});

test('a smaller plan keeps what it includes', () => {
  expect(servicesLost(services, 'T1')).toEqual(['Rented until then', 'Travel Pro', 'Tried']);
  expect(servicesLost(services, 'T2')).toEqual([]);
});
