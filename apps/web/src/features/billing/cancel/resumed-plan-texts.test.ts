import { expect, test } from 'vitest';
import type { OwnRental } from '../overlap/included-rentals.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { resumedPlanTexts } from './resumed-plan-texts.ts';

const at = (day: string) => `2026-12-${day}T12:00:00.000Z`;
const pro = {
  planName: 'Pro',
  tier: 'T2',
  status: 'canceled',
  source: 'payment',
  currentPeriodEnd: at('27'),
  nextPlanId: null,
  nextTier: null,
} as OwnSubscription;
const rental = (name: string, tier: 'T1' | 'T2' | 'T3', day: string, status = 'active') =>
  ({ name, tier, status, source: 'payment', charge: { amountCents: 900, currency: 'USD', at: at(day) } }) as OwnRental;
const rentals = [rental('Travel', 'T2', '20'), rental('Notes', 'T1', '20'), rental('Top', 'T3', '20')];

test('a resumed plan names the rentals that it includes', () => {
  expect(resumedPlanTexts(pro, [...rentals, rental('Ends', 'T1', '20', 'canceled')], undefined)).toEqual([
    'Pro includes Travel, which you rent for $9/month. With both, you pay twice.',
    'Pro includes Notes, which you rent for $9/month. With both, you pay twice.',
  ]);
});

test('if a change was scheduled, a rental is paid twice for as long as both plans include it', () => {
  const planned: OwnSubscription = { ...pro, nextPlanId: 'basic', nextTier: 'T1' };
  expect(resumedPlanTexts(planned, [...rentals, rental('Later', 'T2', '27')], 'Basic')).toEqual([
    'Pro includes Travel until Dec 27, 2026. Until then you pay twice for Travel, which you rent for $9/month.',
    'Pro and Basic include Notes, which you rent for $9/month. With both, you pay twice.',
  ]);
});
