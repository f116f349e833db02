import { expect, test } from 'vitest';
import type { CreditPackage } from './billing.ts';
import { creditPriceOf, creditWorthText } from './credit-worth.ts';

const sold = (credits: number, bonus: number, price: number, currency = 'USD'): CreditPackage => ({
  packageId: `credits-${credits}`,
  name: `${credits}`,
  credits,
  bonus,
  price,
  currency,
  stripePriceId: null,
  popular: false,
});

test('a credit is worth its price in the smallest package, wherever that is listed, including its bonus', () => {
  const [small, large] = [sold(500, 0, 500), sold(10_000, 2_000, 9_900)];
  const told = { amount: 500, credits: 500, currency: 'USD' };
  expect(creditPriceOf([small, large])).toEqual(told);
  expect(creditPriceOf([large, small])).toEqual(told);
  expect(creditPriceOf([sold(400, 100, 500)])).toEqual(told);
  expect(creditPriceOf([])).toBeUndefined();
});

test('a worth has two significant digits, in the currency of the shop', () => {
  const textOf = (amount: number, credits: number, currency = 'USD') => creditWorthText({ amount, credits, currency });
  expect(textOf(500, 500)).toBe('1 credit is about $0.01');
  expect(textOf(9_900, 12_000)).toBe('1 credit is about $0.0083');
  expect(textOf(500, 400, 'EUR')).toBe('1 credit is about €0.013');
  expect(textOf(500, 4)).toBe('1 credit is about $1.25');
});
