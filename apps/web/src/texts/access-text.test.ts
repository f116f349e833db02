import { expect, test } from 'vitest';
import { isFree, planPrice, rentalPrice } from './access-text.ts';

const rental = { price: 900, currency: 'USD', name: 'A month', description: '' };

test('a plan is shown with its name and price on sale', () => {
  expect(planPrice({ name: 'Pro', amount: 1_900, currency: 'USD' })).toBe('Pro ($19/month)');
  expect(planPrice({ name: 'Team', amount: 1_950, currency: 'EUR' })).toBe('Team (€19.50/month)');
});

test('a rental has a price if something is sold, and the server is not free', () => {
  const server = { billing: { tier: 'T2' as const, rental, features: [] } };
  expect(rentalPrice(server, true)).toBe('$9/month');
  expect(rentalPrice(server, false)).toBeUndefined();
  expect(rentalPrice({ billing: { ...server.billing, tier: 'T0' } }, true)).toBeUndefined();
});

test('[MKT-20] a T0 server is free, with a rental price or without', () => {
  expect(isFree({})).toBe(true);
  expect(isFree({ billing: { tier: 'T0', features: [] } })).toBe(true);
  expect(isFree({ billing: { tier: 'T0', rental, features: [] } })).toBe(true);
  expect(isFree({ billing: { tier: 'T1', features: [] } })).toBe(false);
});
