import type { McpService, SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { expect, test } from 'vitest';
import { hadAccessText } from './had-access-text.ts';

const end = ', so this payment page was closed. You were not charged.';
const pro = { planId: 'pro', name: 'Pro', since: '2026-11-20T12:00:00.000Z', isCancelled: false, includedUntil: null };
type Subscription = SubscriptionAnswer['subscription']['subscriptions'][number];

test('a closed payment page of a rental names the service, and how the user has it', () => {
  const textOf = (access: Partial<McpService['userAccess']>) => {
    const userAccess = { accessType: 'none', plan: null, ...access };
    const services = [{ id: 'travel-pro', name: 'Travel Pro', userAccess }] as unknown as McpService[];
    return hadAccessText({ type: 'rental', mcpId: 'travel-pro' }, { services, subscriptions: undefined });
  };
  expect(textOf({ accessType: 'subscription', plan: pro })).toBe(
    `You have the Pro plan now, which includes Travel Pro${end}`,
  );
  expect(textOf({ accessType: 'trial', plan: pro })).toBe(`You have the Pro plan now, which includes Travel Pro${end}`);
  expect(textOf({ accessType: 'rental', plan: pro })).toBe(`You rent Travel Pro now${end}`);
  expect(textOf({ accessType: 'purchase' })).toBe(`Travel Pro is yours now${end}`);
  expect(textOf({}), 'the plan has ended since').toBe(`You had access to Travel Pro already${end}`);
});

test('a closed payment page of a plan names the highest plan that the user has', () => {
  const textOf = (...plans: [planName: string, tier: Subscription['tier'], status: Subscription['status']][]) => {
    const subscriptions = plans.map(([planName, tier, status]) => ({ planName, tier, status })) as Subscription[];
    return hadAccessText({ type: 'subscription', mcpId: null }, { services: undefined, subscriptions });
  };
  expect(textOf(['Basic', 'T1', 'active'], ['Pro', 'T2', 'canceled'], ['Enterprise', 'T3', 'unpaid'])).toBe(
    `You have the Pro plan now${end}`,
  );
  expect(textOf()).toBe(`You had a plan already${end}`);
});
