import { decimalText } from '@souk/contract/billing/currencies.ts';
import { expect, test } from 'vitest';
import { readAmount } from './refund-amount.ts';

const usd = { currency: 'USD', mostCents: 999 };

test.each([
  ['9.99', 999],
  [' 4,5 ', 450],
  ['3', 300],
  ['0.01', 1],
])('%j is %d cents', (text, amountCents) => {
  expect(readAmount(text, usd)).toEqual({ amountCents });
});

test.each([
  ['', 'Enter an amount such as 9.99.'],
  ['-1', 'Enter an amount such as 9.99.'],
  ['1e2', 'Enter an amount such as 9.99.'],
  ['1.2.3', 'Enter an amount such as 9.99.'],
  ['0.00', 'Enter an amount above 0.'],
  ['10', 'At most $9.99 can be refunded.'],
  ['1.999', 'USD has 2 decimals.'],
])('%j is refused: %s', (text, fault) => {
  expect(readAmount(text, usd)).toEqual({ fault });
});

test('a currency without decimals has none in its field', () => {
  expect(decimalText(1200, 'JPY')).toBe('1200');
  expect(readAmount('12.5', { currency: 'JPY', mostCents: 1200 })).toEqual({ fault: 'JPY has no decimals.' });
});
