import { expect, test } from 'vitest';
import { formatCount, formatMoney, formatMonthly } from './amount.ts';

test('[NUM-1] cents are shown as grouped dollars, with two digits if they are not whole', () => {
  expect(formatMoney(900)).toBe('$9');
  expect(formatMoney(0)).toBe('$0');
  // of a dispute in the card's currency
  expect(formatMoney(1500, 'jpy')).toBe('¥1,500');
  expect(formatMoney(1500, 'KWD')).toBe('KWD\u00a01.500');
  expect(formatMoney(1500, 'EUR')).toBe('€15');
  expect(formatMoney(123_456_789)).toBe('$1,234,567.89');
  expect(formatMoney(-150)).toBe('-$1.50');
});

test('[NUM-2] a monthly price has the form $X/month', () => {
  expect([900, 950, 123_456].map((cents) => formatMonthly(cents))).toEqual([
    '$9/month',
    '$9.50/month',
    '$1,234.56/month',
  ]);
});

test('[NUM-3] an amount without a currency is in US dollars', () => {
  expect([formatMoney(900), formatMonthly(900)]).toEqual(['$9', '$9/month']);
});

test('another currency keeps its sign, in any case of its code', () => {
  expect(formatMoney(900, 'eur')).toBe('€9');
});

test('counts are grouped by thousands', () => {
  expect(formatCount(12_345)).toBe('12,345');
});
