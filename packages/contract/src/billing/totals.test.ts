import { expect, test } from 'vitest';
import { totalsOf, totalsText } from './totals.ts';

test('an amount is described by its discounts and taxes, only if there are any', () => {
  const text = (amount: number, discount: number, tax: number, currency = 'USD') => {
    const totals = totalsOf(amount, { discount, tax });
    return totals && totalsText(totals, currency);
  };
  expect(text(2261, 0, 361)).toBe('$19 + $3.61 tax = $22.61');
  expect(text(1131, 950, 181)).toBe('$19 - $9.50 discount + $1.81 tax = $11.31');
  expect(text(950, 950, 0, 'EUR')).toBe('€19 - €9.50 discount = €9.50');
  expect(text(0, 1900, 0)).toBe('$19 - $19 discount = $0');
  expect(text(1900, 0, 0)).toBeUndefined();
});
