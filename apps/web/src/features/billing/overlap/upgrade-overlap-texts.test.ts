import { expect, test } from 'vitest';
import { upgradeOverlapTexts } from './upgrade-overlap-texts.ts';
import type { OwnRental } from './included-rentals.ts';

const rental = (over: Partial<OwnRental> = {}) =>
  ({
    name: 'Travel',
    source: 'payment',
    status: 'active',
    tier: 'T2',
    endDate: '2026-12-27T12:00:00.000Z',
    ...over,
  }) as OwnRental;
const pro = { planId: 'pro', name: 'Pro', tier: 'T2' } as const;
const said = (...rentals: OwnRental[]) => upgradeOverlapTexts(rentals, { tier: 'T1' }, pro);

test('an upgrade that waits for its payment names the rentals that are paid twice with it, and those that end with it', () => {
  expect(said(rental(), rental({ name: 'Notes' }))).toEqual([
    'Pro includes Travel and Notes, which you rent. With both, you pay twice.',
  ]);
  expect(said(rental({ endsWithPlanId: 'pro' }))).toEqual([
    'Once you pay for Pro, the rental of Travel ends on Dec 27, 2026.',
  ]);
  expect(said(rental({ endsWithPlanId: 'enterprise' })), 'it ends with another plan').toEqual([
    'Pro includes Travel, which you rent. With both, you pay twice.',
  ]);
  expect(said(rental({ status: 'canceled' })), 'it ends already').toEqual([]);
  expect(said(rental({ tier: 'T3' })), 'Pro does not include it').toEqual([]);
  expect(said(rental({ tier: 'T1' })), 'the current plan includes it').toEqual([]);
});
