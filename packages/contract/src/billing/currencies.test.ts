import { expect, test } from 'vitest';
import { amountFault, currencyFault, decimalsOf } from './currencies.ts';

test('a currency of the shop has two decimals; others are refused', () => {
  const sold = Intl.supportedValuesOf('currency').filter((code) => currencyFault(code) === undefined);
  expect(sold.length).toBeGreaterThan(90);
  expect(sold.filter((code) => decimalsOf(code) !== 2)).toEqual([]);
  expect(['JPY', 'BHD', 'USD'].map(decimalsOf)).toEqual([0, 3, 2]);
  expect(['JPY', 'KWD', 'XXX', 'XAU', 'ISK', 'UGX'].filter((code) => currencyFault(code) === undefined)).toEqual([]);
});

test('a price below the smallest charge of its currency is refused', () => {
  expect(amountFault(50, 'USD')).toBeUndefined();
  expect(amountFault(49, 'USD')).toBe('must be at least 50: the payment provider charges no less than $0.50');
  expect(amountFault(30, 'GBP')).toBeUndefined();
  expect(amountFault(299, 'SEK')).toContain('SEK\u00A03');
});
