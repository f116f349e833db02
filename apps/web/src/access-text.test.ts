import { expect, test } from 'vitest';
import { howToGetAccess, isFree, rentalPrice } from './access-text.ts';

const rental = { price: 900, currency: 'USD', name: 'A month', description: '' };

test('a server says which plan includes it, and what it costs alone', () => {
  expect(howToGetAccess({ billing: { tier: 'T2', rental, features: [] } }, true)).toBe(
    'Included in Professional, or rent it for $9.00/month.',
  );
  expect(howToGetAccess({ billing: { tier: 'T3', features: [] } }, true)).toBe('Included in Enterprise.');
});

test('where nothing is sold there are no prices, and the administrator gives access', () => {
  const server = { billing: { tier: 'T2' as const, rental, features: [] } };
  expect(rentalPrice(server, true)).toBe('$9.00/month');
  expect(rentalPrice(server, false)).toBeUndefined();
  expect(howToGetAccess(server, false)).toBe('Your administrator gives access to this service.');
});

test('[MKT-20] a T0 server is free, a rental price on it or not', () => {
  expect(isFree({})).toBe(true);
  expect(isFree({ billing: { tier: 'T0', features: [] } })).toBe(true);
  expect(isFree({ billing: { tier: 'T0', rental, features: [] } })).toBe(true);
  expect(isFree({ billing: { tier: 'T1', features: [] } })).toBe(false);
});
