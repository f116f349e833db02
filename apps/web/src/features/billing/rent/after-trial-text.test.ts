import { expect, test } from 'vitest';
import { planAfterTrial } from './after-trial-text.ts';

const at = (day: string) => `2026-12-${day}T12:00:00.000Z`;
const after = (includedUntil: string | null) => {
  const plan = { planId: 'pro', name: 'Pro', since: at('01'), isCancelled: false, includedUntil };
  return planAfterTrial({ expiresAt: at('10'), plan });
};

test('a trial alongside a plan says how long the plan includes the service once the trial has ended', () => {
  expect(after(null)).toMatchObject({ text: 'Nothing is charged when it ends: your plan continues.', isGoingOn: true });
  expect(after(at('20'))).toEqual({
    text: 'Nothing is charged when it ends: your Pro plan includes it until Dec 20, 2026.',
    isGoingOn: false,
  });
  expect(after(at('09')), 'the plan stops first').toBeUndefined();
  expect(planAfterTrial({ expiresAt: at('10'), plan: null })).toBeUndefined();
});
