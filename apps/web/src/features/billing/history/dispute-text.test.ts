import { expect, test } from 'vitest';
import { disputeText } from './dispute-text.ts';

test('a payer reads what a dispute takes meanwhile, what continues, and how it ended', () => {
  const of = (
    type: Parameters<typeof disputeText>[0]['type'],
    state: 'inquiry' | 'to-answer' | 'under-review' | 'won' | 'lost',
    credits: number,
  ) => disputeText({ type, dispute: { state, credits } });
  expect(disputeText({ type: 'rental_create', dispute: null })).toBeUndefined();
  expect(of('credit_purchase', 'inquiry', 0)).toBe(
    'Your bank has asked about this payment. You keep what you paid for.',
  );
  expect(of('credit_purchase', 'to-answer', 1500)).toBe(
    'You disputed this payment, and your bank will decide. Until then, 1,500 credits are taken out of your balance.',
  );
  expect(of('subscription_update', 'under-review', 1)).toBe(
    'You disputed this payment, and your bank will decide. Until then, 1 credit is taken out of your balance. Your plan continues.',
  );
  expect(of('rental_create', 'to-answer', 0)).toBe(
    'You disputed this payment, and your bank will decide. Your rental continues.',
  );
  expect(of('credit_purchase', 'won', 500)).toBe(
    'Your bank decided that this payment stands. Your 500 credits are back.',
  );
  expect(of('rental_create', 'won', 0)).toBe('Your bank decided that this payment stands.');
  expect(of('credit_purchase', 'lost', 500)).toBe(
    'Your bank gave you the disputed money back. 500 credits of this payment were taken back.',
  );
  expect(of('rental_create', 'lost', 0)).toBe('Your bank gave you the disputed money back. The rental was canceled.');
});
