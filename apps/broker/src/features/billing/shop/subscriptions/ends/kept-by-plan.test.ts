import { expect, test } from 'vitest';
import type { Owned, OwnedPlan } from '../../../entitlement/owned.ts';
import { keptByPlan } from './kept-by-plan.ts';

const at = (day: string) => Date.parse(`2026-12-${day}T12:00:00Z`);
const pro = { name: 'Pro', tier: 'T2', source: 'payment', isCancelled: false, periodEndsAtMs: at('20') } as OwnedPlan;
const kept = (over: Partial<OwnedPlan>, endsAtMs = at('10'), tier: 'T2' | 'T3' | null = 'T2') => {
  const owned: Owned = { plans: [{ ...pro, ...over }], servers: [] };
  return keptByPlan({ name: 'Travel', isOffered: true, tier }, owned, { endsAtMs, nowMs: at('01') });
};

test('a plan that ends keeps a service until then, and a plan that ends before the rental keeps nothing', () => {
  expect(kept({})).toBe('Your Pro plan includes Travel: you lose nothing.');
  expect(kept({ isCancelled: true })).toBe('Your Pro plan includes Travel until Dec 20, 2026 UTC.');
  expect(kept({ nextTier: 'T1' })).toBe('Your Pro plan includes Travel until Dec 20, 2026 UTC.');
  expect(kept({ isCancelled: true }, at('20')), 'both end at the same time').toBeUndefined();
  expect(kept({}, at('10'), 'T3'), 'a higher tier').toBeUndefined();
  expect(kept({}, at('10'), null), 'no longer offered').toBeUndefined();
});
