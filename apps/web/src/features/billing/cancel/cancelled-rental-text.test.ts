import { expect, test } from 'vitest';
import { keptByPlanText, type CancelledRental } from './cancelled-rental-text.ts';

const endsAt = '2026-12-27T12:00:00.000Z';
const textOf = (includedUntil: string | null, over: Partial<CancelledRental> = {}) => {
  const plan = { planId: 'pro', name: 'Pro', since: '2026-11-27T12:00:00.000Z', isCancelled: false, includedUntil };
  return keptByPlanText({ name: 'Travel Pro', endsAt, plan, ...over });
};

test('a canceled rental says that the plan includes its service, and when the rental ends', () => {
  expect(textOf(null)).toBe(
    'Your Pro plan includes Travel Pro: you lose nothing. The rental ends on Dec 27, 2026, and you can resume it until then.',
  );
  expect(textOf('2027-01-05T12:00:00.000Z')).toBe(
    'Your Pro plan includes Travel Pro until Jan 5, 2027, and then you lose access to it. The rental ends on Dec 27, 2026, and you can resume it until then.',
  );
  expect(textOf(null, { status: 'past_due' })).toBe(
    'Your Pro plan includes Travel Pro: you lose nothing. The rental ends now, and nothing more is charged. This action cannot be undone.',
  );
  expect(textOf('2026-12-20T12:00:00.000Z'), 'the plan ends first').toBeUndefined();
  expect(textOf(null, { plan: null })).toBeUndefined();
});
