import { expect, test } from 'vitest';
import type { Plan } from '@souk/contract/billing/billing.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { rentalOverlapTexts } from './rental-overlap-texts.ts';

const end = '2026-12-27T12:00:00.000Z';
const plans = [
  { planId: 'basic', name: 'Basic', tier: 'T1' },
  { planId: 'pro', name: 'Pro', tier: 'T2' },
] as Plan[];
const service = { name: 'Travel', tier: 'T2' } as const;
const basic = {
  tier: 'T1',
  status: 'active',
  currentPeriodEnd: end,
  pendingPlanId: null,
  nextPlanId: null,
  nextTier: null,
} as OwnSubscription;
const pro = { planId: 'pro', name: 'Pro', since: end, isCancelled: true };
const said = (subscription: Partial<OwnSubscription>, includedUntil?: string | null) =>
  rentalOverlapTexts({
    service,
    access: { plan: includedUntil === undefined ? null : { ...pro, includedUntil } },
    subscriptions: [{ ...basic, ...subscription }],
    plans,
  });

test('a rental alongside a plan that ends says until when it is paid twice', () => {
  const ending = { tier: 'T2', status: 'canceled' } as const;
  expect(said(ending, end)).toEqual([
    'Your Pro plan includes Travel until Dec 27, 2026. The rental starts as soon as you pay, so you pay twice until then.',
  ]);
  expect(said(ending, null), 'the broker refuses it').toEqual([]);
});

test('a rental names the plan that is about to begin and includes it', () => {
  expect(said({})).toEqual([]);
  expect(said({ pendingPlanId: 'pro' })).toEqual([
    'Your upgrade to Pro is awaiting payment, and Pro includes Travel. With both, you pay twice.',
  ]);
  const planned = { nextPlanId: 'pro', nextTier: 'T2' } as const;
  expect(said(planned)).toEqual(['You chose Pro from Dec 27, 2026, which includes Travel. With both, you pay twice.']);
  expect(said({ ...planned, status: 'canceled' }), 'the change does not happen').toEqual([]);
  expect(said({ nextPlanId: 'basic', nextTier: 'T1' })).toEqual([]);
});
